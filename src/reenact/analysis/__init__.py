"""What a clip is: units, up axis, frame rate, foot plants, gait, quality. Nothing here changes a clip."""
