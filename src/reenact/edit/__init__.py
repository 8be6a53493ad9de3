"""Editing motion: transitions, loops, displacement maps and warps. Clips in, one clip out, foot plants carried along."""
