"""What can be done to clips: one registry, from which the command line's verbs are generated."""
