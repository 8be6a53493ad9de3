"""Bring a motion onto characters of other sizes and shapes: a child, a heavy man, a figure with a large head; look at what was mapped."""

from pathlib import Path

import reenact
from reenact.body.humanoid import humanoid
from reenact.samples import make_sample

walk = make_sample("walk_normal").clip

for preset in ("child", "heavy", "chibi"):
    person = humanoid(preset=preset)
    made = reenact.retarget(walk, person)
    report = made.report
    print(
        f"{preset}: {report['by_role']} of {report['joints']} joints, sure {report['sure']}, legs {report['scale']} times as long, "
        f"soles slip {report['slip_mm']} mm, hands led {report['hands_led']}"
    )
    reenact.save(made, f"walk_{preset}.glb", reenact.WriteOptions(character=person))

# which joints belong together is a file: edit it, and give it back
made = reenact.retarget(walk, humanoid(preset="child"), write_mapping=Path("child.json"))
print(Path("child.json").read_text()[:400])
again = reenact.retarget(walk, humanoid(preset="child"), mapping=Path("child.json"), hands="off")
print(again.report["by_role"], "joints by the file")
