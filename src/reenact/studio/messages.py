"""Everything the studio's server and its pages say to each other, written once.

`python -m reenact.studio.typescript` makes the TypeScript of these classes; binary answers are in `studio.binary`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from reenact.operations.operation import Kind

Value = None | bool | int | float | str | list[float | str]
"""A parameter's value as people give it: angles in degrees, null for "not given"."""


class RemedyInfo(Struct, frozen=True):
    """Other parameters that help: what they do, in a few words, and their values by name."""

    text: str
    parameters: dict[str, Value]


class ErrorDetail(Struct, frozen=True, omit_defaults=True):
    """What went wrong: a stable code, one sentence, what it is about (a parameter, a file, a clip), and what helps, where that is known."""

    code: str
    message: str
    where: str
    remedies: tuple[RemedyInfo, ...] = ()


class ErrorAnswer(Struct, frozen=True):
    """The body of every answer with a status of 400 or more."""

    error: ErrorDetail


class FormatInfo(Struct, frozen=True):
    """A file format: name, title, file endings with the dot, whether it can be written, whether one file holds many clips."""

    name: str
    title: str
    endings: tuple[str, ...]
    writable: bool
    many: bool


class FormField(Struct, frozen=True):
    """One parameter of an operation. Numbers are in the unit shown (degrees for angles); `above` excludes the bound itself. A `moment`
    can be shown on the time line: start or end of a range (the frame after it), or a frame of the first or the second clip. The value of
    a `file` is the number of one that was sent (see `SentFile`), or "clip:12" where a `motion` will do.
    """

    name: str
    label: str
    kind: Literal["number", "integer", "flag", "choice", "text", "numbers", "texts", "file"]
    default: Value
    required: bool
    nullable: bool
    unit: str
    low: float | None
    high: float | None
    above: float | None
    choices: tuple[str, ...]
    help: str
    moment: Literal["", "start", "end", "first", "second"]
    endings: tuple[str, ...]
    motion: bool


class OperationForm(Struct, frozen=True):
    """One registered operation with its parameters; `needs` says what must be chosen before it can run, empty when nothing must.
    `inputs` says what stands in each place, for those that take several things; `least` and `most` how many clips it takes (`most` 0: any
    number). `essentials` are the parameters that are shown first. Clips that it `gives` are added to the library, everything else is shown.
    """

    name: str
    help: str
    takes: Literal["clip", "clips"]
    gives: Kind
    inputs: tuple[str, ...]
    parameters: tuple[FormField, ...]
    needs: str
    least: int
    most: int
    essentials: tuple[str, ...]


class Session(Struct, frozen=True):
    """What a page needs to know at its start."""

    version: str
    title: str
    library_path: str
    temporary: bool
    writable: bool
    token_required: bool
    upload_limit_bytes: int
    revision: int
    history: HistoryState
    formats: tuple[FormatInfo, ...]
    operations: tuple[OperationForm, ...]


class ClipSummary(Struct, frozen=True):
    """A clip in the list. `revision` changes with the motion: put it behind binary addresses as `?v=`; `added` is ISO 8601, UTC."""

    id: int
    name: str
    frames: int
    fps: float
    joints: int
    seconds: float
    tags: tuple[str, ...]
    type: str
    description: str
    source: str
    has_character: bool
    added: str
    revision: str


class TagCount(Struct, frozen=True):
    """A tag and how many clips have it."""

    name: str
    count: int


class ClipList(Struct, frozen=True):
    """A page of the clips that answer a query, how many answer it in all, and every tag of the library."""

    total: int
    offset: int
    clips: tuple[ClipSummary, ...]
    tags: tuple[TagCount, ...]


class SkeletonInfo(Struct, frozen=True):
    """Joints, parents before children; offsets in metres in the parent's frame; roles name joints by what they are."""

    names: tuple[str, ...]
    parents: tuple[int, ...]
    offsets: tuple[tuple[float, float, float], ...]
    end_joints: tuple[int, ...]
    end_offsets: tuple[tuple[float, float, float], ...]
    roles: dict[str, int]


class FindingInfo(Struct, frozen=True):
    """Something noticed about a clip or a file."""

    code: str
    severity: Literal["info", "warning", "error"]
    where: str
    message: str
    fixed: bool
    confidence: float | None


class Span(Struct, frozen=True):
    """Frames from `start` to before `end`."""

    start: int
    end: int
    label: str


class Track(Struct, frozen=True):
    """A row of the time line: contacts of a foot, labels, or what an operation did where (`mark`): blends, seams, frames it changed."""

    name: str
    kind: Literal["contact", "label", "mark"]
    side: Literal["left", "right", ""]
    spans: tuple[Span, ...]


class OriginInfo(Struct, frozen=True):
    """The file a clip was read from: its format, metres per unit, up axis; the format is empty for a clip that was made.
    `orders` are the joints' rotation orders in the file ("ZYX"), one for each joint, or none. `credits` say whose recordings it is made of.
    """

    format: str
    unit: float
    up: Literal["x", "y", "z"]
    orders: tuple[str, ...]
    credits: tuple[str, ...]


class ClipDetail(Struct, frozen=True):
    """All that is known about a clip, but for its motion and the rows of its time line."""

    summary: ClipSummary
    skeleton: SkeletonInfo
    findings: tuple[FindingInfo, ...]
    origin: OriginInfo
    metadata: dict[str, Any]


class ClipTracks(Struct, frozen=True):
    """The rows of a clip's time line. They are asked for on their own: to find them may take longer than to show the clip."""

    tracks: tuple[Track, ...]


class ClipChange(Struct, frozen=True, forbid_unknown_fields=True):
    """What a PATCH sets; what is not given stays. `tags` are all tags the clip has from now on."""

    name: Annotated[str, Meta(min_length=1, max_length=200)] | None = None
    description: Annotated[str, Meta(max_length=10_000)] | None = None
    tags: Annotated[list[Annotated[str, Meta(min_length=1, max_length=100)]], Meta(max_length=100)] | None = None


class Removed(Struct, frozen=True):
    """A clip that is gone."""

    removed: int


class UploadResult(Struct, frozen=True):
    """What came of an uploaded file: new clips, clips that were there already, and what was noticed."""

    added: tuple[ClipSummary, ...]
    existing: tuple[ClipSummary, ...]
    findings: tuple[FindingInfo, ...]


class SentFile(Struct, frozen=True):
    """A file that was sent for a parameter: its number, which is the parameter's value, and what it is called."""

    number: str
    name: str


class OperationRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Clips for an operation, in order, and its parameters by name; parameters that are not given have their default."""

    clips: Annotated[list[int], Meta(min_length=1, max_length=1000)]
    parameters: dict[str, Value] = {}
    result_name: Annotated[str, Meta(max_length=200)] = ""


class Command(Struct, frozen=True):
    """The line that does the same in a terminal, and what must be known about it."""

    command: str
    note: str


class JobFile(Struct, frozen=True):
    """A file that an operation wrote: the parameter that asked for it, its name, and its address below /api."""

    parameter: str
    name: str
    address: str


class Job(Struct, frozen=True):
    """An operation on its way, or what came of it: clips (`results`, the first of them also `result`), a report, a picture, a page.
    Only results that are new may be taken back by removing them. `picture`, `page` and `video` are addresses below /api, empty without one.
    `change` is its number in the history of the library, 0 without one.
    `marks` are the frames of the result that its report speaks of, `doubts` what the method is not sure of. `sources` are the names its
    clips had, `files` what was written beside the result.
    """

    id: str
    operation: str
    state: Literal["queued", "running", "done", "failed", "cancelled"]
    progress: float
    message: str
    command: str
    clips: tuple[int, ...]
    result: ClipSummary | None
    result_is_new: bool
    report: dict[str, Any]
    error: ErrorDetail | None
    results: tuple[ClipSummary, ...]
    new: tuple[int, ...]
    picture: str
    page: str
    video: str
    marks: tuple[Span, ...]
    doubts: tuple[str, ...]
    change: int
    sources: tuple[str, ...]
    files: tuple[JobFile, ...]


class JobList(Struct, frozen=True):
    """The jobs of this session, the newest first."""

    jobs: tuple[Job, ...]


class JobEvent(Struct, frozen=True, tag_field="kind", tag="job"):
    """A job has changed."""

    job: Job


class LibraryEvent(Struct, frozen=True, tag_field="kind", tag="library"):
    """Clips were added, removed or described anew, here or by another program; the number only grows."""

    revision: int


class HistoryState(Struct, frozen=True):
    """What undo and redo would do, in words; empty: nothing. `undo_number` is the number of the change that would be taken back."""

    undo: str
    redo: str
    undo_number: int


class HistoryEvent(Struct, frozen=True, tag_field="kind", tag="history"):
    """Something else can be undone or redone now."""

    state: HistoryState


class HistoryStep(Struct, frozen=True):
    """What was undone or redone, in words."""

    done: str


StudioEvent = JobEvent | LibraryEvent | HistoryEvent
"""What comes through the WebSocket `/api/events`."""


class RenderRequest(Struct, frozen=True):
    """Pictures that a page without controls is asked to make. Frame k of the pictures shows `times[k]` seconds."""

    clips: tuple[int, ...]
    times: tuple[float, ...]
    width: int
    height: int
    view: str
    background: Literal["light", "dark"]
    mode: Literal["animation", "trace"]
    every: int
    follow: bool


class RenderStatus(Struct, frozen=True):
    """How many pictures have arrived of how many."""

    received: int
    total: int


EXPORTED = (
    RemedyInfo,
    ErrorAnswer,
    FormatInfo,
    FormField,
    OperationForm,
    Session,
    ClipSummary,
    TagCount,
    ClipList,
    SkeletonInfo,
    FindingInfo,
    Span,
    Track,
    OriginInfo,
    ClipDetail,
    ClipTracks,
    ClipChange,
    Removed,
    UploadResult,
    SentFile,
    OperationRequest,
    Command,
    JobFile,
    Job,
    JobList,
    JobEvent,
    LibraryEvent,
    HistoryState,
    HistoryEvent,
    HistoryStep,
    RenderRequest,
    RenderStatus,
)
"""The messages whose TypeScript is made, and the unions after them."""

UNIONS = {"StudioEvent": StudioEvent, "Value": Value}
