"""Going over from one set of motions to another while they play, when it is asked for.

from reenact.blend.live_stage import LiveStage
stage = LiveStage({"walk": register([walk, turn_left, turn_right]), "jump": jump}, once=["jump"])
stage.steer("walk", [0.2, 0.8, 0.0])
step = stage.step(1 / 60)
stage.request("jump", within=1.0)  # at the next good moment, after a second at the latest

Registration specification A17.3. A request looks ahead along the curve, as far as it may wait, and takes the first moment from which some
place of the wanted motions looks alike, or the best there is. Both sets then play on while the one is blended into the other, laid over
each other on the floor, so the body goes on where it is. Steps look at nothing but the moment, and cost what those of a loop cost.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from reenact import kernels
from reenact.blend.live import LiveBlend, LiveStep
from reenact.blend.live_links import LiveLinks
from reenact.blend.registration import RegistrationParameters, register
from reenact.blend.registration_curve import RegistrationCurve
from reenact.blend.travel import chain, invert, mean_placement
from reenact.blend.weights import check_weights
from reenact.core.arrays import Bool, Float64
from reenact.core.clip import Clip
from reenact.core.ramps import rise
from reenact.errors import ParameterError, SkeletonError

_GOOD = 1.1  # times the distance of the best place of all: moments from which one this near can be entered are good
_LOOK = 30.0  # moments a second that are looked at ahead
_LONGEST_WAIT = 60.0


class Planned(NamedTuple):
    """What a request will lead to.

    Attributes:
        wait: seconds until the crossing begins.
        distance: metres, mean distance of the bodies over the crossing; of motions that are played once with what is lost of them.
    """

    wait: float
    distance: float


class LiveStage:
    """A player of several sets of motions.

    Attributes:
        players: the sets by name, each with a player of its own.
        playing: name of the set that plays; during a crossing the one that is entered.
        waiting: name of the set that was asked for and is not yet entered, if any.
        moved: how often one set has gone over into another.
    """

    def __init__(
        self,
        sets: Mapping[str, RegistrationCurve | Clip],
        *,
        start: str = "",
        once: Collection[str] = (),
        crossing: float = 0.35,
        smoothing: float = 0.15,
    ) -> None:
        """Prepare all players, and where each set can go over into each other.

        Args:
            sets: registered motions, or single clips, by name; all on one skeleton.
            start: the set that plays first; default: the first.
            once: sets that are played once and then hold their last pose; the others begin again for ever.
            crossing: seconds in which one set is blended into another.
            smoothing: seconds, of the weights (see `LiveBlend`).

        Raises:
            ParameterError: no sets, unknown names, or motions too short for a loop.
            SkeletonError: sets on different skeletons.
        """
        if not sets:
            raise ParameterError("a stage needs one set of motions at least")
        for name in (*once, *([start] if start else [])):
            if name not in sets:
                raise ParameterError(f"no set {name!r}; there are {', '.join(sets)}", where="once" if once else "start")
        if not 0.05 <= crossing <= 5:
            raise ParameterError(f"crossing must be 0.05 to 5 s, not {crossing:g}", where="crossing")
        self.players = {
            name: LiveBlend(_curve_of(one), smoothing=smoothing, loop=name not in once) for name, one in sets.items()
        }
        _check_skeletons(self.players)
        self._crossing = crossing
        self._links = {
            (a, b): LiveLinks(gone.curve, coming.curve, crossing, coming.loop)
            for a, gone in self.players.items()
            for b, coming in self.players.items()
            if a != b
        }
        self._wanted = {name: np.full(p.curve.motions, 1 / p.curve.motions) for name, p in self.players.items()}
        self._contacts = np.zeros(4, np.bool_)
        self._pair, self._pair_weights = np.zeros((2, 4)), np.zeros(2)
        self.playing = start or next(iter(sets))
        self.moved = 0
        self.waiting: str | None = None
        self._gone: str | None = None
        self._crossed = 1.0
        self._left = 0.0

    def steer(self, name: str, weights: ArrayLike) -> None:
        """The weights towards which a set goes, now or when it will play."""
        player = self._player(name)
        self._wanted[name] = check_weights(weights, player.curve.motions)

    def request(self, name: str, weights: ArrayLike | None = None, within: float = 1.0) -> Planned:
        """Ask for another set of motions; the last request counts, and asking for the set that plays takes it back.

        A good moment is one from which a place of the wanted set is no more than 1.1 times as far as the best place of all. The first such
        moment is taken, or the best when there is none in time.

        Args:
            name: of the set.
            weights: of it; default: those it was steered to last, at first all alike.
            within: seconds to wait at the most. Only a crossing that is under way, of a loop or of a request, is always ended first.

        Raises:
            ParameterError: an unknown name, weights that do not fit, or a wait that is negative or above a minute.
        """
        self._player(name)
        if not 0 <= within <= _LONGEST_WAIT:
            raise ParameterError(f"within must be 0 to {_LONGEST_WAIT:g} s, not {within:g}", where="within")
        if weights is not None:
            self.steer(name, weights)
        if name == self.playing:
            self.waiting = None
            return Planned(0.0, 0.0)
        player = self.players[self.playing]
        links = self._links[self.playing, name]
        costs = links.costs(self._now(self.playing), self._wanted[name])
        nearest = costs.min(axis=1)
        moments, free = self._look_ahead(player, within)
        ahead = np.where(free, nearest[[links.row(u) for u in moments]], np.inf)
        good = np.flatnonzero(ahead <= _GOOD * nearest.min())
        if np.isfinite(ahead).any():
            n = int(good[0]) if len(good) else int(np.argmin(ahead))
        else:  # a crossing is under way all the time that may be waited
            n = len(ahead) - 1
        self.waiting, self._left = name, n / _LOOK
        return Planned(n / _LOOK, float(nearest[links.row(moments[n])]))

    def step(self, dt: float) -> LiveStep:
        """Go on by `dt` seconds; the arrays are written anew by the next step.

        Raises:
            ParameterError: a step that is negative or longer than a second.
        """
        if self.waiting is not None:
            if self._left <= 0.5 * dt and self._crossed >= 1.0 and not self.players[self.playing].crossing:
                self._go_over(self.waiting)
            self._left -= dt
        coming = self.players[self.playing]
        if self._gone is None:
            return coming.step(dt, self._wanted[self.playing])
        gone = self.players[self._gone]
        before = gone.step(dt, self._wanted[self._gone], loop=False)
        after = coming.step(dt, self._wanted[self.playing], loop=False)
        self._crossed += dt / self._crossing
        share = float(rise(min(self._crossed, 1.0)))
        kernels.live_blending.mix(
            share,
            before.rotations,
            before.root,
            before.points,
            after.rotations,
            after.root,
            after.points,
            self._pair,
            self._pair_weights,
        )
        self._contacts[:] = before.contacts if self._crossed < 0.5 else after.contacts
        if self._crossed >= 1.0:
            self._gone = None
            self._crossed = 1.0
        return LiveStep(before.root, before.rotations, self._contacts, before.points)

    def _player(self, name: str) -> LiveBlend:
        if name not in self.players:
            raise ParameterError(f"no set {name!r}; there are {', '.join(self.players)}", where="name")
        return self.players[name]

    def _now(self, name: str) -> Float64:
        """The weights of a set as they are, or as they will be when it has not played yet."""
        found = self.players[name].weights
        return self._wanted[name] if np.isnan(found).any() else found

    def _look_ahead(self, player: LiveBlend, within: float) -> tuple[Float64, Bool]:
        """Where the passage will be at moments from now on, and whether no crossing is under way then."""
        busy = (1.0 - self._crossed) * self._crossing
        count = int(np.ceil(max(within, 0.0) * _LOOK - 1e-9)) + 1
        u, free = player.look_ahead(self._now(self.playing), 1 / _LOOK, count)
        return u, free & (np.arange(count) / _LOOK >= busy)

    def _go_over(self, name: str) -> None:
        """Begin the crossing into a set, at its place that looks most like the one of the moment."""
        gone, coming = self.players[self.playing], self.players[name]
        links = self._links[self.playing, name]
        own, wanted = self._now(self.playing), self._wanted[name]
        row = links.row(gone.u)
        column = int(np.argmin(links.costs(own, wanted)[row]))
        u = float(links.entering[column])
        laid = chain(gone.placements[:, None], links.placements(row, column))  # (k, m, 3): the motions as recorded
        aligned = coming.curve.alignment.placements_at(u)[0]
        shares = np.outer(np.maximum(own, 0.0), np.maximum(wanted, 0.0))
        votes = chain(laid, invert(aligned)[None]).reshape(-1, 3)
        body = coming.body_at(u, wanted)
        coming.enter(u, mean_placement(votes, body, shares.ravel() / shares.sum()))
        self._gone, self.playing, self.waiting = self.playing, name, None
        self._crossed = 0.0
        self.moved += 1


def _curve_of(one: RegistrationCurve | Clip) -> RegistrationCurve:
    """A registration; that of a single clip is the clip with itself."""
    if isinstance(one, RegistrationCurve):
        return one
    return register([one, one], RegistrationParameters(gate="off", trim="off"))


def _check_skeletons(players: Mapping[str, LiveBlend]) -> None:
    (first, lead), *rest = players.items()
    skeleton = lead.curve.clips[0].skeleton
    for name, player in rest:
        other = player.curve.clips[0].skeleton
        if not other.same_tree(skeleton):
            raise SkeletonError(f"the sets {first!r} and {name!r} differ ({skeleton.difference(other)})", where=name)
        if np.abs(other.offsets - skeleton.offsets).max() > 1e-3:
            raise SkeletonError(
                f"the sets {first!r} and {name!r} have bones of other lengths: bring all clips to one skeleton first",
                where=name,
            )
        if player.moving != lead.moving:
            raise SkeletonError(f"other joints move in their parent's frame in {first!r} than in {name!r}", where=name)
