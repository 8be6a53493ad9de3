"""The entry point: finds the verb, imports only what it needs, and turns errors into one line and exit code 2."""

from __future__ import annotations

import io
import os
import sys
import warnings
from difflib import get_close_matches
from typing import Annotated, Any

import typer
import typer.core
import typer.main

from reenact.cli.help_texts import keep_brackets
from reenact.cli.output import plain_os_error, print_error, print_json
from reenact.errors import DamagedClipWarning, ReenactError

_UsageError: Any = typer.BadParameter.__mro__[1]  # public only as bases of this one
_ClickError: Any = typer.BadParameter.__mro__[2]

_VERBS: dict[str, tuple[str, str]] = {
    "info": ("reenact.cli.info:info", "Say what is in motion files: clips, rates, joints, and what was noticed."),
    "convert": ("reenact.cli.convert:convert", "Write a motion file in another format."),
    "rig": ("reenact.cli.rig:rig_mesh", "Give a mesh a skeleton and weights, so that it can be animated."),
    "matrices": (
        "reenact.cli.matrices:matrices",
        "Give joint transforms as 4x4 matrices, modelling and world, with inverses.",
    ),
    "humanoid": (
        "reenact.cli.humanoid:humanoid",
        "Make a person of any height, girth and proportions, as a character.",
    ),
    "library": ("reenact.cli.library_commands:app", "Keep clips in a searchable library folder."),
    "graph": ("reenact.cli.graph:app", "Gather similar frames of a library into a cluster graph."),
    "mobility": ("reenact.cli.mobility:app", "Make mobility maps of libraries: where a body can get from every pose."),
    "again": ("reenact.cli.again:again", "Make a result once more from its own report."),
    "studio": ("reenact.cli.studio:studio", "Open a library or files in the browser."),
    "warm-up": ("reenact.cli.warm_up:warm_up", "Compile everything once, so that no verb has to wait for it."),
    "demo": ("reenact.cli.demo:demo", "Make the sample library, pictures and exports in a folder."),
}
"""Verbs that are no operations: where each lives, and its line in the help. The others come from the registry."""


def verbs() -> dict[str, tuple[str, str]]:
    """Every verb: where it lives ("module:attribute", or "operation:NAME"), and its line in the help."""
    from reenact.operations.registry import operations

    made = {one.name: (one.command or f"operation:{one.name}", one.help) for one in operations()}
    return {
        "info": _VERBS["info"],
        "convert": _VERBS["convert"],
        **made,
        **{k: v for k, v in _VERBS.items() if k not in ("info", "convert")},
    }


_python_shows = warnings.showwarning

_as_json = False
"""Whether the command being run was asked for JSON; set by `main`, needed before any option is parsed."""


class _LazyCommand(typer.core.TyperCommand):
    """A verb that is built when it is called; the list of verbs needs only its name and help."""

    def make_context(self, info_name: Any, args: list[str], parent: Any = None, **extra: Any) -> Any:
        return build_command(str(self.name)).make_context(info_name, args, parent=parent, **extra)


class LazyGroup(typer.core.TyperGroup):
    """The list of verbs, from the registry and the table above."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(verbs())

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        try:
            return super().resolve_command(ctx, args)
        except _UsageError as error:
            near = get_close_matches(args[0], self.list_commands(ctx))
            meant = f"did you mean {' or '.join(near)}? " if near else ""
            error.message = f"there is no verb {args[0]!r}: {meant}`reenact --help` lists all"
            raise

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        verb = verbs().get(cmd_name)
        if verb is None:
            return None
        return _LazyCommand(name=cmd_name, help=verb[1], short_help=verb[1], callback=None)


def build_command(name: str) -> Any:
    """The real command of a verb, with all its options."""
    from reenact.operations.operation import resolve
    from reenact.operations.registry import find_operation

    target, help_line = verbs()[name]
    if target.startswith("operation:"):
        from reenact.cli.operation import operation_command

        function = operation_command(find_operation(name))
    else:
        function = resolve(target)
    if isinstance(function, typer.Typer):
        command = typer.main.get_command(function)
    else:
        from reenact.cli.options import expand

        app = typer.Typer(add_completion=False, context_settings={"help_option_names": ["-h", "--help"]})
        app.command(name=name)(expand(function))
        command = typer.main.get_command(app)
    command.name = name
    if not command.help:
        command.help = help_line
    keep_brackets(command)
    return command


app = typer.Typer(
    cls=LazyGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # the list of verbs must come at once; loading rich takes longer than all else
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Turn a library of motion capture into new performances.",
)


def _show_version(asked: bool) -> None:
    if asked:
        from reenact import __version__

        if _as_json:
            print_json({"version": __version__})
        else:
            print(f"reenact {__version__}")
        raise typer.Exit


@app.callback()
def _top(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="With --version, print one JSON object.")] = False,
) -> None:
    """Turn a library of motion capture into new performances."""


def run() -> None:
    """Run the command line; always leaves through `sys.exit`."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by the caller
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 - for the rest of the process
        elif isinstance(stream, io.TextIOWrapper):  # a letter that the terminal cannot show is no reason to fail
            stream.reconfigure(errors="backslashreplace")
    sys.exit(main(sys.argv[1:]))


def main(arguments: list[str]) -> int:
    """Run one command and return its exit code: 0 done, 1 checks found something, 2 bad input or usage, 130 interrupted."""
    from reenact.formats.passing import note_piped

    stdout = sys.stdout
    note_piped("")
    try:
        return _run(arguments)
    finally:
        sys.stdout = stdout  # a verb whose result went through a pipe has sent its messages elsewhere


def _run(arguments: list[str]) -> int:
    global _as_json
    _as_json = as_json = "--json" in arguments
    if as_json:
        from reenact.kernels import notices

        notices.mute()
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            result = run_command(arguments)
        sys.stdout.flush()
    except ReenactError as error:
        print_error(error.message, error.code, error.where, as_json)
        return 2
    except _ClickError as error:
        if as_json or not isinstance(error, _UsageError):
            print_error(error.format_message(), "usage", "", as_json)
        else:
            error.show()
        return 2
    except (KeyboardInterrupt, typer.Abort):
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        _drop_output()
        return 0
    except SystemExit as stop:
        if isinstance(stop.__context__, BrokenPipeError):  # the way rich leaves when nobody reads on
            return 0
        raise
    except OSError as error:
        try:
            print_error(*plain_os_error(error), as_json)
            sys.stdout.flush()
        except OSError:  # it is the output itself that cannot be written
            _drop_output()
            print_error(*plain_os_error(error), False)
        return 2
    except MemoryError:
        print_error("not enough memory for this input", "memory", "", as_json)
        return 2
    return result


def run_command(arguments: list[str]) -> int:
    """Run a command and give its exit code; errors are raised."""
    result = app(arguments, standalone_mode=False, prog_name="reenact")
    return result if isinstance(result, int) else 0


def _show_warning(message: Warning | str, kind: type[Warning], *place: Any, **more: Any) -> None:
    """One line for what concerns the user's data; what concerns code is shown with its place in the code."""
    if issubclass(kind, DamagedClipWarning):
        print(f"warning: {message}", file=sys.stderr)
    else:
        _python_shows(message, kind, *place, **more)


def _drop_output() -> None:
    """Let what is still to be printed go nowhere, so that leaving does not fail on it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
