"""Bodies: characters with a mesh and a skin."""
