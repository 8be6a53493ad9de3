# Made by `python -m reenact.operations.stubs` from the registry of operations; a test holds it to that.
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from reenact.body.character import Character as Character
from reenact.core.clip import Clip as Clip
from reenact.core.findings import Finding as Finding
from reenact.core.foot_plants import FootPlants as FootPlants
from reenact.errors import FormatError as FormatError
from reenact.body.humanoid import HumanoidParameters as HumanoidParameters
from reenact.library.store import Library as Library
from reenact.errors import LibraryError as LibraryError
from reenact.loading import LoadOptions as LoadOptions
from reenact.core.made import Made as Made
from reenact.errors import ParameterError as ParameterError
from reenact.errors import ReenactError as ReenactError
from reenact.body.rigging import RigParameters as RigParameters
from reenact.core.skeleton import Skeleton as Skeleton
from reenact.errors import SkeletonError as SkeletonError
from reenact.core.clip import World as World
from reenact.formats.loaded import WriteOptions as WriteOptions
from reenact.body.humanoid import humanoid as humanoid
from reenact.loading import load as load
from reenact.loading import load_all as load_all
from reenact.body.rigging import rig as rig
from reenact.loading import save as save
from reenact.body.scaling import scale_character as scale_character
from reenact.body.scaling import scale_skeleton as scale_skeleton
from reenact.body.soles import soles as soles
from PIL import Image
from reenact.adapt.bodily import BalanceParameters
from reenact.adapt.bodily import VolumeParameters
from reenact.adapt.grounding import GroundParameters
from reenact.analysis.classify import ClassifyParameters
from reenact.analysis.plants import DetectParameters
from reenact.analysis.quality.limits import QualityLimits
from reenact.analysis.quality.report import QualityReport
from reenact.analysis.segments import Classification
from reenact.blend.blend_parameters import BlendParameters
from reenact.blend.clean import CleanParameters
from reenact.blend.motion_space import SpaceMotionParameters
from reenact.blend.registration_curve import RegistrationCurve
from reenact.blend.registration_parameters import RegistrationParameters
from reenact.body.growth import GrowthParameters
from reenact.body.scaling import ScaleParameters
from reenact.core.cutting import CutParameters
from reenact.core.cutting import JoinParameters
from reenact.core.mirror import MirrorParameters
from reenact.core.placement import MoveParameters
from reenact.core.pose_sampling import PoseParameters
from reenact.core.resample import ResampleParameters
from reenact.edit.loop import LoopParameters
from reenact.edit.transition_parameters import TransitionParameters
from reenact.edit.warp import WarpParameters
from reenact.graft.graft_parameters import GraftParameters
from reenact.operations.adapting import AdaptOptions
from reenact.operations.retargeting import RetargetParameters
from reenact.operations.root_motion import RootParameters
from reenact.operations.sequencing import SequenceParameters
from reenact.operations.splitting import SplitParameters
from reenact.render.animation import AnimationParameters
from reenact.render.strip import StripParameters
from reenact.render.video import Video
from reenact.solve.skeleton_map import MapParameters
from reenact.walk.path_following import PathParameters
from reenact.walk.walk import WalkParameters

__version__: str

def adapt(
    clip: Clip | Made,
    body: Character,
    /,
    *,
    girth: float = 1.0,
    trunk: float | None = None,
    arms: float | None = None,
    legs: float | None = None,
    joints: bool = True,
    stages: str | Sequence[float] = 'arms,forearms,legs,collisions,feet',
    without: str | Sequence[float] = '',
    method: Literal['space-time', 'fast'] = 'space-time',
    margin: float = 0.004,
    spacing: float = 0.12,
    threshold: float = 1.0,
    rounds: int = 2,
    report: Path | None = None,
    corrections: Path | None = None,
    parameters: AdaptOptions | None = None,
    plants: FootPlants | None = None,
) -> Made: ...

def balance(
    clip: Clip | Made,
    body: Character,
    /,
    *,
    girth: float = 1.0,
    threshold: float = 1.0,
    spacing: float = 0.12,
    parameters: BalanceParameters | None = None,
    plants: FootPlants | None = None,
) -> Made: ...

def blend(
    *clips: Clip | Made,
    weights: str | Sequence[float] = '',
    method: Literal['registration', 'linear', 'linear-normalised', 'thesis'] = 'registration',
    mode: Literal['interpolate', 'transition'] = 'interpolate',
    window: float | None = None,
    at: int | None = None,
    into: int | None = None,
    path: Literal['incremental', 'reference'] = 'incremental',
    timing: Literal['blended', 'path_cells', 'keytimes'] = 'blended',
    gap_rule: Literal['ratio', 'vote'] = 'ratio',
    overlap: Literal['close', 'any'] = 'close',
    reference: int | None = None,
    point_weights: str | Sequence[float] = 'equal',
    point_weights_file: Path | None = None,
    slope_limit: int = 3,
    ends: Literal['fixed', 'free'] = 'fixed',
    trim: Literal['auto', 'steps', 'off'] = 'auto',
    gate: Literal['try', 'refuse', 'warn', 'off'] = 'try',
    most_q: float = 0.75,
    most_q_in_step: float = 0.85,
    most_distance: float = 0.3,
    most_stretch: float = 0.55,
    most_astray: float = 0.15,
    astray_angle: float = 0.7853981633974483,
    most_squeezed: float = 0.5,
    most_uneven: float = 0.1,
    most_leap: float = 0.25,
    near: float = 0.06,
    doubt_from: float = 0.8,
    untouched: bool = False,
    enforce: bool = True,
    parameters: BlendParameters | None = None,
    plants: Sequence[FootPlants | None] | None = None,
) -> Made: ...

def check(
    clip: Clip | Made,
    /,
    *,
    skate_mm: float = 25.0,
    skate_aside_mm: float = 22.0,
    slide_speed: float = 0.3,
    penetration_mm: float = 42.0,
    float_mm: float = 35.0,
    support_mm: float = 20.0,
    support_spread: float = 4.0,
    level_mm: float = 90.0,
    pop_deg: float = 20.0,
    knee_pop_deg: float = 8.0,
    pop_mm: float = 25.0,
    pop_ratio: float = 9.0,
    flip_deg: float = 110.0,
    duplicate_share: float = 0.03,
    dropped_ratio: float = 1.6,
    jitter_mm: float = 1.5,
    knee_deg: float = 15.0,
    elbow_deg: float = 25.0,
    fold_deg: float = 165.0,
    head_deg: float = 125.0,
    bone_mm: float = 8.0,
    gravity: float = 1.5,
    overlap_mm: float = 55.0,
    balance_mm: float = 120.0,
    speed_max: float = 13.0,
    parameters: QualityLimits | None = None,
    plants: FootPlants | None = None,
) -> QualityReport: ...

def classify(
    clip: Clip | Made,
    /,
    *,
    classifier: Literal['steps', 'thesis', 'thesis-literal'] = 'steps',
    parameters: ClassifyParameters | None = None,
    plants: FootPlants | None = None,
) -> Classification: ...

def clean(
    clip: Clip | Made,
    /,
    *,
    anchor: Literal['mean', 'start', 'end'] = 'mean',
    floor: Literal['lift', 'keep', 'level', 'snap'] = 'lift',
    ramp: float = 0.3,
    root: float = 0.1,
    balance: float = 0.0,
    apart: bool = False,
    stretch: float = 0.0,
    markers: bool = False,
    parameters: CleanParameters | None = None,
    plants: FootPlants | None = None,
) -> Made: ...

def cut(
    clip: Clip | Made,
    /,
    *,
    start: int = 0,
    end: int | None = None,
    parameters: CutParameters | None = None,
) -> Made: ...

def detect_plants(
    clip: Clip | Made,
    /,
    *,
    detector: str | Sequence[float] = 'adaptive',
    parameters: DetectParameters | None = None,
) -> FootPlants: ...

def graft(
    base: Clip | Made,
    source: Clip | Made,
    /,
    *,
    chains: str | Sequence[float] = 'upper',
    keep: Literal['local', 'chest', 'hands'] = 'chest',
    base_range: str | Sequence[float] = '',
    source_range: str | Sequence[float] = '',
    correlate: Literal['auto', 'plants', 'registration', 'natural'] = 'auto',
    shift: int | None = None,
    similar: float | None = None,
    warp: bool = True,
    curve: Literal['smooth', 'linear'] = 'smooth',
    speed: float = 1.0,
    blend: float | None = None,
    include_base: bool = False,
    cut: bool = False,
    map: bool = False,
    parameters: GraftParameters | None = None,
    plants: Sequence[FootPlants | None] | None = None,
) -> Made: ...

def ground(
    clip: Clip | Made,
    body: Character,
    /,
    *,
    method: Literal['root', 'legs'] = 'root',
    height: Literal['scale', 'frames', 'keep'] = 'scale',
    flight: bool = True,
    lowered: float = 0.01,
    parameters: GroundParameters | None = None,
    plants: FootPlants | None = None,
) -> Made: ...

def grow(
    clip: Clip | Made,
    body: Character,
    /,
    *,
    girth: float = 1.0,
    trunk: float | None = None,
    arms: float | None = None,
    legs: float | None = None,
    joints: bool = True,
    parameters: GrowthParameters | None = None,
    plants: FootPlants | None = None,
) -> Made: ...

def join(
    *clips: Clip | Made,
    place: Literal['continue', 'keep'] = 'continue',
    parameters: JoinParameters | None = None,
) -> Made: ...

def loop(
    *clips: Clip | Made,
    count: int = 5,
    start: int | None = None,
    end: int | None = None,
    near: int | None = None,
    pick: int | None = None,
    method: Literal['spread', 'blend'] = 'spread',
    window: float = 0.3,
    straighten: float = 0.0873,
    in_place: bool = False,
    at_origin: bool = False,
    fps: float | None = None,
    feet: Literal['hold', 'free'] = 'hold',
    shortest: float = 0.3,
    longest: float | None = None,
    limit: float = 0.08,
    beyond: float = 0.18,
    map: bool = False,
    parameters: LoopParameters | None = None,
    plants: Sequence[FootPlants | None] | None = None,
) -> Made: ...

def map(
    clip: Clip | Made,
    onto: Clip | Made | Character,
    /,
    *,
    feet: bool = True,
    parameters: MapParameters | None = None,
    plants: FootPlants | None = None,
) -> Made: ...

def mirror(
    clip: Clip | Made,
    /,
    *,
    place: Literal['world', 'start'] = 'world',
    parameters: MirrorParameters | None = None,
) -> Made: ...

def move(
    clip: Clip | Made,
    /,
    *,
    x: float = 0.0,
    y: float = 0.0,
    z: float = 0.0,
    turn: float = 0.0,
    about: Literal['start', 'origin'] = 'start',
    parameters: MoveParameters | None = None,
) -> Made: ...

def path(
    clip: Clip | Made,
    /,
    *,
    along: Path | None = None,
    through: str | Sequence[float] = '',
    radius: float | None = None,
    footprints: Path | None = None,
    write_footprints: Path | None = None,
    stride: float = 1.0,
    speed: float | None = None,
    fit: bool = False,
    lean: float = 1.0,
    parameters: PathParameters | None = None,
    plants: FootPlants | None = None,
) -> Made: ...

def pose(
    *clips: Clip | Made,
    at: str | Sequence[float] = '',
    second_at: str | Sequence[float] = '',
    share: str | Sequence[float] = '0.5',
    root: Literal['world', 'relative'] = 'world',
    parameters: PoseParameters | None = None,
) -> Made: ...

def register(
    *clips: Clip | Made,
    rate: float = 30.0,
    samples: int | None = None,
    window: int = 2,
    taper: Literal['even', 'triangle'] = 'even',
    weights: str | Sequence[float] = 'equal',
    weights_file: Path | None = None,
    markers: Literal['joints', 'bones'] = 'joints',
    slope_limit: int = 3,
    path: Literal['exact', 'greedy'] = 'exact',
    ends: Literal['fixed', 'free'] = 'fixed',
    through: tuple[int, int] | None = None,
    slack: float = 0.1,
    cover: float = 0.6,
    knots: float = 0.2,
    smoothing: float = 0.3,
    reference: int | None = None,
    trim: Literal['auto', 'needed', 'steps', 'off'] = 'auto',
    gate: Literal['refuse', 'warn', 'off'] = 'refuse',
    most_q: float = 0.75,
    most_q_in_step: float = 0.85,
    most_distance: float = 0.3,
    most_stretch: float = 0.55,
    most_astray: float = 0.15,
    astray_angle: float = 0.7853981633974483,
    most_squeezed: float = 0.5,
    most_uneven: float = 0.1,
    most_leap: float = 0.25,
    near: float = 0.06,
    doubt_from: float = 0.8,
    parameters: RegistrationParameters | None = None,
    plants: Sequence[FootPlants | None] | None = None,
) -> RegistrationCurve: ...

def render(
    *clips: Clip | Made,
    every: int | None = None,
    count: int | None = None,
    mode: Literal['auto', 'path', 'row'] = 'auto',
    view: str | Sequence[float] = 'three-quarter',
    width: int = 1600,
    height: int = 250,
    background: Literal['light', 'dark'] = 'light',
    traces: bool = True,
    caption: bool = True,
    floor: float | None = None,
    figure: Literal['auto', 'person', 'sticks'] = 'auto',
    parameters: StripParameters | None = None,
) -> Image.Image: ...

def resample(
    clip: Clip | Made,
    /,
    *,
    fps: float | None = None,
    frames: int | None = None,
    method: Literal['linear', 'smooth'] = 'linear',
    parameters: ResampleParameters | None = None,
) -> Made: ...

def retarget(
    clip: Clip | Made,
    character: Clip | Made | Character,
    /,
    *,
    hands: Literal['auto', 'body', 'floor', 'each-other', 'partner', 'off'] = 'auto',
    feet: bool = True,
    floor: bool = True,
    mapping: Path | None = None,
    write_mapping: Path | None = None,
    partner: Path | None = None,
    partner_on: Path | None = None,
    parameters: RetargetParameters | None = None,
    plants: FootPlants | None = None,
) -> Made: ...

def root(
    clip: Clip | Made,
    /,
    *,
    in_place: bool = False,
    extract: bool = False,
    apply: Path | None = None,
    turn: Literal['keep', 'remove'] | None = None,
    sway: Literal['keep', 'remove'] = 'keep',
    smoothing: float = 0.4,
    trajectory: Path | None = None,
    parameters: RootParameters | None = None,
    plants: FootPlants | None = None,
) -> Made: ...

def scale(
    clip: Clip | Made,
    /,
    *,
    height: float | None = None,
    factor: float = 1.0,
    shoulders: float = 1.0,
    upper_arm: float = 1.0,
    forearm: float = 1.0,
    thigh: float = 1.0,
    shank: float = 1.0,
    waist: float = 1.0,
    back: float = 1.0,
    mesh: Literal['follow', 'kept'] = 'follow',
    parameters: ScaleParameters | None = None,
) -> Made: ...

def sequence(
    library: Library | str | Path,
    *clips: str,
    via: Literal['auto', 'direct', 'any'] = 'auto',
    search: Literal['action', 'anywhere'] = 'action',
    hops: int = 4,
    hop: float = 1.0,
    mismatch: float = 1.0,
    speed: float = 0.0,
    exit: float = 0.5,
    entry: float = 0.5,
    lost: float = 4.0,
    played: float = 0.2,
    room: float = 1.0,
    mirror: float = 0.25,
    window: float = 0.8,
    pick: int = 1,
    error: float | None = None,
    method: Literal['crossfade', 'inertial', 'dead', 'one_sided'] = 'crossfade',
    tempo: bool = False,
    map: bool = False,
    gaps: Literal['blend', 'refuse'] = 'blend',
    seconds: float | None = None,
    parameters: SequenceParameters | None = None,
) -> Made: ...

def space(
    *clips: Clip | Made,
    samples: int = 4,
    tolerance: float = 0.002,
    tries: int = 16,
    trim: Literal['auto', 'steps', 'off'] = 'auto',
    gate: Literal['refuse', 'warn', 'off'] = 'refuse',
    most_q: float = 0.75,
    most_q_in_step: float = 0.85,
    most_distance: float = 0.3,
    most_stretch: float = 0.55,
    most_astray: float = 0.15,
    astray_angle: float = 0.7853981633974483,
    most_squeezed: float = 0.5,
    most_uneven: float = 0.1,
    most_leap: float = 0.25,
    near: float = 0.06,
    doubt_from: float = 0.8,
    enforce: bool = True,
    parameter: str | Sequence[float] = 'speed',
    value: float | None = None,
    parameters: SpaceMotionParameters | None = None,
    plants: Sequence[FootPlants | None] | None = None,
) -> Made: ...

def split(
    clip: Clip | Made,
    /,
    *,
    part: tuple[str, ...] = (),
    shortest: float = 0.5,
    parameters: SplitParameters | None = None,
    plants: FootPlants | None = None,
) -> list[Clip]: ...

def transition(
    *clips: Clip | Made,
    at: int | None = None,
    into: int | None = None,
    earliest: int | None = None,
    latest: int | None = None,
    search: Literal['action', 'anywhere'] = 'action',
    window: float | None = None,
    method: Literal['crossfade', 'inertial', 'dead', 'one_sided'] = 'crossfade',
    weight: Literal['smooth', 'cubic', 'linear'] = 'smooth',
    root: Literal['relative', 'absolute'] = 'relative',
    feet: Literal['hold', 'free'] = 'hold',
    contradiction: Literal['auto', 'step', 'hold', 'slip'] = 'auto',
    near: float = 0.06,
    absorb: bool = True,
    tempo: bool = False,
    mirrored: bool = False,
    map: bool = False,
    parameters: TransitionParameters | None = None,
    plants: Sequence[FootPlants | None] | None = None,
) -> Made: ...

def video(
    *clips: Clip | Made,
    fps: float | None = None,
    speed: float = 1.0,
    width: int = 640,
    height: int = 480,
    view: str | Sequence[float] = 'three-quarter',
    follow: bool | None = None,
    orthographic: bool = False,
    background: Literal['light', 'dark'] = 'light',
    traces: bool = True,
    caption: bool = True,
    floor: float | None = None,
    figure: Literal['auto', 'person', 'sticks'] = 'auto',
    parameters: AnimationParameters | None = None,
) -> Video: ...

def volumes(
    body: Character,
    /,
    *,
    girth: float = 1.0,
    masses: Literal['integrated', 'cylinder', 'capsule', 'ellipsoid', 'table'] = 'integrated',
    kilogrammes: float | None = None,
    parameters: VolumeParameters | None = None,
) -> dict[str, Any]: ...

def walk(
    clip: Clip | Made,
    /,
    *,
    stride: float = 1.0,
    stride_end: float | None = None,
    step: float | None = None,
    lift: float = 1.0,
    incline: float = 0.0,
    stairs: str | Sequence[float] = '',
    before: int = 2,
    obstacle: str | Sequence[float] = '',
    to: float | None = None,
    plan: Path | None = None,
    steps: str | Sequence[float] = '',
    terrain: Path | None = None,
    cell: float = 0.1,
    relief: float = 1.0,
    lean: float = 1.0,
    ease_in: int = 0,
    ease_out: int = 0,
    model: Literal['balanced', 'delta', 'literal'] = 'balanced',
    parameters: WalkParameters | None = None,
    plants: FootPlants | None = None,
) -> Made: ...

def warp(
    clip: Clip | Made,
    /,
    *,
    keys: str | Sequence[float] = '',
    start: int | None = None,
    end: int | None = None,
    reach: float = 0.5,
    spline: Literal['multiresolution', 'cubic', 'monotone'] = 'multiresolution',
    times: str | Sequence[float] = '',
    smooth: float = 0.0,
    bands: str | Sequence[float] = '',
    joints: str | Sequence[float] = '',
    feet: Literal['free', 'hold'] = 'free',
    parameters: WarpParameters | None = None,
    plants: FootPlants | None = None,
) -> Made: ...
