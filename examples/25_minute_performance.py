"""Six recordings to a performance of a minute on a character: `python 25_minute_performance.py [CHARACTER.glb RECORDING...]`.

Without arguments it takes generated motion and a body of boxes.
"""

import sys
from pathlib import Path

import numpy as np

import reenact
from reenact.loading import load_body
from reenact.samples import make_sample


def box_body(clip: reenact.Clip) -> reenact.Character:
    """A box on every joint of a skeleton, where it stands at rest."""
    from reenact.body.character import rest_world

    places = rest_world(clip.skeleton).positions[0]
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * 0.04
    squares = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    sides = np.array([face for a, b, c, d in squares for face in ((a, b, c), (a, c, d))])
    vertices = np.concatenate([place + corners for place in places])
    faces = np.concatenate([sides + 8 * n for n in range(len(places))])
    joints = np.repeat(np.arange(len(places), dtype=np.int32), 8)[:, None]
    binds = np.tile(np.eye(4), (len(places), 1, 1))
    binds[:, :3, 3] = -places
    return reenact.Character(clip.skeleton, vertices, faces, joints, np.ones((len(joints), 1)), binds, name="boxes")


def perform(recordings: list[reenact.Clip], body: reenact.Clip, character: reenact.Character) -> None:
    """Play the recordings one after the other for a minute, bring that onto the body and write it with the mesh."""
    with reenact.Library.create("recordings") as library:
        names = [library.entry(library.add(clip).id).name for clip in recordings]
        made = reenact.sequence(library, *names, seconds=60.0, map=True)
    print(made.clip, [f"{row['times']} more cycles of {row['clip']}" for row in made.report["loops"]])
    print("over gaps:", [f"{row['from']} > {row['to']}" for row in made.report["transitions"] if row.get("gap")])
    mapped = reenact.map(made, body)
    reenact.save(mapped, "performance.glb", reenact.WriteOptions(character=character, events=True))
    print("performance.glb,", mapped.clip.seconds, "s")


if __name__ == "__main__":
    if sys.argv[1:]:
        loaded = reenact.load_all(sys.argv[1])
        perform([reenact.load(file) for file in sys.argv[2:]], load_body(Path(sys.argv[1])), loaded.characters[0])
    else:
        samples = ("walk_normal", "jog", "wave_standing", "walk_circle_wide_left", "kick_left", "walk_fast")
        clips = [make_sample(name, 30.0).clip for name in samples]
        perform(clips, clips[0], box_body(clips[0]))
