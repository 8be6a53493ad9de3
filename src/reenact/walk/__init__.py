"""Walks made from a recorded one: other strides, other lifts of the feet, other ground."""
