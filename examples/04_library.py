"""Keep clips in a library folder: tags, descriptions, full-text search, results that are computed once."""

from pathlib import Path

from reenact.library import Library
from reenact.samples import make_sample, sample_names

folder = Path("mocap")
library = Library.create(folder) if not folder.exists() else Library(folder)
for name in sample_names()[:12]:
    sample = make_sample(name)
    library.add(sample.clip, tags=sample.tags, description=sample.description, metadata={"type": sample.type})

for entry in library.entries("walk left"):
    print(entry.name, entry.tags)
clip = library.clip("walk_normal")
print(clip)
library.close()
