"""The command line: `reenact VERB ...`."""
