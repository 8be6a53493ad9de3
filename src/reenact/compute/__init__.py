"""Many pieces of work: in this process, in several, on a cluster, on a GPU. Nothing heavy is imported before it is used."""
