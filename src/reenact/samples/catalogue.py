"""Every sample by name, and how it is made. All of it follows from the names and one seed."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import partial

import numpy as np

from reenact.samples.acting import carry, drink, make_kick, make_pick_up, make_sit, punches, reach, wave
from reenact.samples.assembling import About
from reenact.samples.jumping import Jump, make_hops, make_jumps
from reenact.samples.standing import even_steps, look_around, make_side_steps, make_stand, make_turn, make_walk_between
from reenact.samples.steady import Manner, calm_arms, make_course, march, reverse_sample, sneak
from reenact.samples.steps import WalkStep
from reenact.samples.truth import Sample
from reenact.samples.walking import Course

Recipe = Callable[[float, np.random.Generator], Sample]

_SEED = 20240
_RECIPES: dict[str, Recipe] = {}


def seed_of(name: str) -> np.random.Generator:
    """The random numbers of a sample: the same on every machine, different for every name."""
    return np.random.default_rng([_SEED, zlib.crc32(name.encode())])


def recipes() -> dict[str, Recipe]:
    """Name -> recipe, in the order of the library."""
    if not _RECIPES:
        for add in (_add_stands, _add_walks, _add_single_steps, _add_runs, _add_jumps, _add_actions):
            add()
    return _RECIPES


def _add(
    name: str,
    kind: str,
    tags: str,
    description: str,
    make: Callable[..., Sample],
    *args: object,
    asked: float = float("nan"),
    **more: object,
) -> None:
    about = About(name, kind, tuple(tags.split()), description, asked)

    def recipe(fps: float, rng: np.random.Generator) -> Sample:
        return make(about, *args, fps=fps, rng=rng, **more)

    _RECIPES[name] = recipe


def _add_stands() -> None:
    _add("stand", "stand", "stand idle", "standing at ease", make_stand, 6.0)
    _add(
        "stand_shift",
        "stand",
        "stand idle weight",
        "shifting the weight from leg to leg",
        make_stand,
        8.0,
        shifting=0.075,
    )
    _add("stand_look", "stand", "stand idle look", "standing and looking around", make_stand, 6.5, layer=look_around)


def _add_walks() -> None:
    for name, speed, cadence in (("slow", 0.8, 1.0), ("normal", 1.2, 1.0), ("brisk", 1.5, 1.04), ("fast", 1.75, 1.10)):
        _add_course(
            f"walk_{name}",
            f"straight {name}",
            f"{name} walk straight ahead",
            Course("walk", speed, 7.0, cadence=cadence),
        )
    for name, radius, speed in (("wide", 5.0, 1.25), ("medium", 2.5, 1.15), ("tight", 1.2, 0.9)):
        for side, sign in (("left", 1.0), ("right", -1.0)):
            about = f"walk on a {name} circle ({radius} m) to the {side}"
            _add_course(
                f"walk_circle_{name}_{side}",
                f"circle turn {side}",
                about,
                Course("walk", speed, 7.0, radius=sign * radius),
            )
    stomp = Course(
        "walk", 1.1, 6.0, cadence=1.08, clearance=0.20, tuck=0.35, strike_pitch=0.06, lift_pitch=-0.55, rise=0.6
    )
    _add_course("march", "march", "march with high knees", stomp, Manner(layer=march))
    creep = Course(
        "walk",
        0.55,
        8.0,
        cadence=0.86,
        clearance=0.13,
        tuck=0.25,
        strike_pitch=-0.22,
        lift_pitch=-0.5,
        duty=0.66,
        flat=0.24,
    )
    _add_course("sneak", "sneak creep", "sneaking, crouched, on the balls of the feet", creep, Manner(0.09, 0.5, sneak))
    for name, speed in (("slow", 0.55), ("normal", 0.9)):
        course = Course("walk", speed, 6.0, cadence=1.12, strike_pitch=0.28, lift_pitch=-0.5)
        about = About(f"walk_backwards_{name}", "walk", ("walk", "backwards"), f"{name} walk backwards", speed)
        _RECIPES[about.name] = partial(_make_backwards, about, course)


def _add_course(name: str, tags: str, description: str, course: Course, manner: Manner | None = None) -> None:
    _add(
        name, course.kind, f"{course.kind} {tags}", description, make_course, course, manner=manner, asked=course.speed
    )


def _make_backwards(about: About, course: Course, fps: float, rng: np.random.Generator) -> Sample:
    return reverse_sample(make_course(about, course, fps, rng, Manner(0.012, 1.0, calm_arms)), about)


def _add_single_steps() -> None:
    steps = even_steps(1.2, 7)
    length, beat = steps[0].length, steps[0].duration
    first, last = WalkStep(0.62 * length, 1.2 * beat), WalkStep(0.8 * length, 1.15 * beat)
    whole = [first, *steps, last]
    for side in ("left", "right"):
        start = {"begin": 1.3, "rest": 1.5, "speed": 1.2, "cut": (0.0, 3.0)}
        _add(
            f"start_walk_{side}",
            "walk",
            f"start walk {side}",
            f"from a stand into a walk, {side} foot first",
            make_walk_between,
            side,
            whole,
            **start,
        )
        stop = {"begin": 1.3, "rest": 1.8, "speed": 1.2, "cut": (3.2, 0.0)}
        _add(
            f"stop_walk_{side}",
            "walk",
            f"stop walk {side}",
            "from a walk into a stand",
            make_walk_between,
            side,
            whole,
            **stop,
        )
        sign = 1.0 if side == "left" else -1.0
        corner = [
            first,
            *steps[:2],
            *(WalkStep(0.78 * length, 1.04 * beat, sign * np.pi / 6) for _ in range(3)),
            *steps[:2],
            last,
        ]
        both = {"begin": 1.0, "rest": 1.2, "speed": 1.2}
        _add(
            f"walk_corner_{side}",
            "walk",
            f"walk turn corner {side}",
            f"walk, 90 degree turn to the {side}, walk",
            make_walk_between,
            side,
            corner,
            **both,
        )
        for degrees in (90, 180):
            text = f"turning on the spot by {degrees} degrees to the {side}"
            _add(f"turn_{degrees}_{side}", "other", f"turn place {side}", text, make_turn, sign * degrees)
        _add(f"side_step_{side}", "other", f"side step {side}", f"side steps to the {side}", make_side_steps, sign, 4)
    short = [first, *steps[:3], last]
    _add(
        "walk_few_steps",
        "walk",
        "start walk stop",
        "from a stand, a few steps, to a stand",
        make_walk_between,
        "right",
        short,
        begin=1.0,
        rest=1.2,
        speed=1.2,
    )


def _add_runs() -> None:
    for name, speed in (("jog", 2.3), ("run", 3.2), ("run_fast", 4.2)):
        _add_course(
            name,
            "jog straight" if name == "jog" else "straight",
            f"{name.replace('_', ' ')} straight ahead",
            Course("run", speed, 5.0),
        )
    for name, radius, speed in (("jog", 3.5, 2.3), ("run", 7.0, 3.2)):
        for side, sign in (("left", 1.0), ("right", -1.0)):
            text = f"{name} on a circle of {radius} m to the {side}"
            _add_course(
                f"{name}_circle_{side}",
                f"{name} circle turn {side}",
                text,
                Course("run", speed, 5.0, radius=sign * radius),
            )


def _add_jumps() -> None:
    _add("jump_forward", "jump", "jump forward", "jump forward off both feet", make_jumps, [Jump(0.85, 0.42)])
    _add(
        "jump_forward_twice",
        "jump",
        "jump forward",
        "two short jumps forward",
        make_jumps,
        [Jump(0.45, 0.36, 0.22, 0.2, 80), Jump(0.5, 0.36, 0.22, 0.2, 80)],
    )
    _add("jump_up", "jump", "jump up high", "high jump on the spot", make_jumps, [Jump(0.0, 0.52, 0.30, 0.27, 160)])
    for side in ("left", "right"):
        _add(f"hop_{side}", "jump", f"hop {side}", f"hops forward on the {side} foot", make_hops, side, 5, 0.42)


def _add_actions() -> None:
    _add(
        "wave_standing",
        "stand",
        "wave action stand",
        "waving with the right hand",
        make_stand,
        6.0,
        layer=wave(0.7, 5.2),
    )
    _add(
        "reach_standing",
        "stand",
        "reach action stand",
        "reaching for something high in front",
        make_stand,
        5.5,
        layer=reach(0.7, 4.6),
    )
    _add("drink_standing", "stand", "drink action stand", "drinking from a cup", make_stand, 6.5, layer=drink(0.7, 5.6))
    _add(
        "carry_standing",
        "stand",
        "carry action stand",
        "holding a box with both hands",
        make_stand,
        5.0,
        layer=carry(-2.0, 9.0),
    )
    _add(
        "punch_standing",
        "stand",
        "punch box action stand",
        "straight punches, left and right",
        make_stand,
        7.0,
        layer=punches([1.8, 2.4, 3.2, 3.7, 4.6, 5.1]),
    )
    for side in ("left", "right"):
        _add(f"kick_{side}", "other", f"kick action {side}", f"front kicks with the {side} leg", make_kick, side, 2)
    _add("pick_up", "other", "pick up action carry", "picking something up from the floor", make_pick_up)
    _add("sit_down", "other", "sit chair action", "sitting down, sitting, getting up", make_sit)
    walk = Course("walk", 1.15, 7.0)
    _add_course("wave_walking", "wave action", "waving on the way", walk, Manner(layer=wave(1.0, 6.0)))
    _add_course(
        "carry_walking", "carry action", "carrying a box", Course("walk", 1.05, 7.0), Manner(layer=carry(-9.0, 19.0))
    )
    _add_course(
        "drink_walking", "drink action", "drinking on the way", Course("walk", 1.0, 7.0), Manner(layer=drink(0.8, 6.2))
    )
    _add_course(
        "reach_walking",
        "reach action",
        "reaching for something on the way",
        Course("walk", 1.1, 6.0),
        Manner(layer=reach(0.8, 4.9)),
    )
