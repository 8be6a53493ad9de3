"""The images of a glTF file: within it, in data URIs or beside it; damaged and missing ones are findings."""

from __future__ import annotations

from reenact.body.materials import Image
from reenact.errors import FormatError
from reenact.formats.gltf_document import Document
from reenact.formats.image_files import image_damage, image_type

_FREE_BYTES = 1 << 20  # of images that any file may hold; more only in proportion to its size
_MOST_IMAGES = 4096


class ImageReader:
    """Reads images, each once; images that share their bytes share them here too."""

    def __init__(self, doc: Document) -> None:
        self._doc = doc
        self._read: dict[int, Image | None] = {}
        self._bytes: dict[int | str, bytes] = {}
        self._taken = 0

    def read(self, index: int) -> Image | None:
        """An image, or None with a finding where it is missing or damaged."""
        if index not in self._read:
            self._read[index] = self._load(index)
        return self._read[index]

    def _load(self, index: int) -> Image | None:
        doc, where = self._doc, f"images[{index}]"
        entry = doc.objects("images")[index]
        name = doc.text(entry, "name")
        label = f"the image {name!r}" if name else "the image"
        if len(self._read) >= _MOST_IMAGES:
            doc.note("image", "warning", "images", f"only {_MOST_IMAGES} images are read; the rest is left out")
            return None
        try:
            data = self._find_bytes(index, where)
        except FileNotFoundError:
            missing = str(entry.get("uri"))[:80]
            doc.note(
                "missing-image", "warning", where, f"{label} is not there ({missing!r}); its textures are left out"
            )
            return None
        except OSError as error:
            doc.note("missing-image", "warning", where, f"{label} cannot be read ({error.strerror}); left out")
            return None
        except FormatError as error:
            doc.note("damaged-image", "warning", where, f"{label} cannot be read ({error.message}); left out")
            return None
        problem = image_damage(data)
        if problem:
            doc.note("damaged-image", "warning", where, f"{label} is damaged: {problem}; its textures are left out")
            return None
        return Image(data, image_type(data), name)

    def _find_bytes(self, index: int, where: str) -> bytes:
        doc = self._doc
        entry = doc.objects("images")[index]
        uri = entry.get("uri")
        view = doc.reference(entry, "bufferView", "bufferViews", where)
        if view is None and not isinstance(uri, str):
            doc.fail("it has neither a uri nor a bufferView")
        key = view if view is not None else str(uri)
        if key not in self._bytes:
            data = doc.named(str(uri), where) if view is None else bytes(doc.view(view))
            self._taken += len(data)
            if self._taken > _FREE_BYTES + 2 * doc.size:
                doc.fail(f"the images have more bytes than a file of {doc.size} bytes may ask for")
            self._bytes[key] = data
        return self._bytes[key]
