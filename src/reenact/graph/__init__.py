"""The cluster graph: similar frames of all clips in nodes, recorded order as edges; transitions are found and walked on it."""
