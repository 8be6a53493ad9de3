"""Core types and the mathematics on them: arrays in, new values out, no input or output."""
