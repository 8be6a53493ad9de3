"""The generated TypeScript is that of the messages."""

from __future__ import annotations

import pytest
from msgspec import Struct

from reenact.studio import typescript
from reenact.studio.messages import EXPORTED


def test_generated_file_is_current() -> None:
    assert typescript.TARGET.read_text(encoding="utf-8") == typescript.generate_typescript(), (
        "run python -m reenact.studio.typescript"
    )


def test_every_message_is_exported() -> None:
    from reenact.studio import messages

    defined = {value for value in vars(messages).values() if isinstance(value, type) and issubclass(value, Struct)}
    text = typescript.generate_typescript()
    for message in defined - {Struct}:
        assert f"export interface {message.__name__} {{" in text
    assert set(EXPORTED) <= defined


def test_types() -> None:
    text = typescript.generate_typescript()
    assert "  offsets: [number, number, number][];" in text
    assert '  kind: "job";' in text
    assert "  result: ClipSummary | null;" in text
    assert "  tags?: string[] | null;" in text
    assert "export type StudioEvent = JobEvent | LibraryEvent | HistoryEvent;" in text


def test_unknown_type_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Odd(Struct):
        value: bytes

    monkeypatch.setattr(typescript, "EXPORTED", (Odd,))
    with pytest.raises(TypeError, match="no TypeScript"):
        typescript.generate_typescript()
