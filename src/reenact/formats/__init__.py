"""One module per file format, each with a registry entry: `registry.find_format` picks one, by content first."""
