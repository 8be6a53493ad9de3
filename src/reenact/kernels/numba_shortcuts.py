"""What Numba does over and over while it compiles a kernel, done once: another third of the time.

- The type of a call of something built in with the same types of arguments (`x + y` of two numbers, an element of an array) is looked for
  among some forty templates each time. It is remembered here, and so is what implements it.
- Variables' lifetimes are found anew after each of eight passes, and only those after the last are looked at.
- Each pass and each lookup writes down all forty settings, for listeners and logs that nobody has asked for.
- A constant argument (`median(room, 0)`) is a type of its own, and the kernel that is called is compiled for it and for the plain type. It
  is compiled for the plain type alone.

Everything here leans on Numba's insides: where they are not as expected `numba_compiler` compiles in Numba's own way.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from numba.core import dispatcher, ir, ssa, types
from numba.core.compiler_machinery import PassManager
from numba.core.lowering import Lower
from numba.core.postproc import PostProcessor, VariableLifetime
from numba.core.transforms import canonicalize_cfg
from numba.core.types import functions

_KERNELS = __name__.rpartition(".")[0] + "."
_known_calls: dict[Any, Any] = {}
_post_processing, _call_type, _call_template = (
    PostProcessor.run,
    functions.BaseFunction.get_call_type,
    dispatcher._DispatcherBase.get_call_template,
)


@contextmanager
def shortcuts() -> Iterator[None]:
    """Within it Numba takes them."""
    with ExitStack() as ways_back:
        for owner, name, instead in (
            (PostProcessor, "run", _note_lifetimes),
            (functions.BaseFunction, "get_call_type", _remembered_call_type),
            (dispatcher._DispatcherBase, "get_call_template", _template_of_plain_types),
            (PassManager, "_runPass", _run_pass),
            (ir.Inst, "_rec_list_vars", _variables),
            (Lower, "create_cfunc_wrapper", _no_way_in),
            (ssa, "_logger", _Silence()),
        ):
            ways_back.callback(setattr, owner, name, getattr(owner, name))
            setattr(owner, name, instead)
        yield


def _run_pass(self: Any, _: int, one: Any, state: Any) -> None:
    """`PassManager._runPass`: a pass, and nothing else."""
    one.analysis = self._analysis
    one.run_initialization(state)
    one.run_pass(state)
    one.run_finalizer(state)


def _variables(self: Any, value: Any) -> list[Any]:
    """`Inst._rec_list_vars`: the variables that an instruction uses."""
    found: list[Any] = []
    _collect(value, found)
    return found


def _collect(value: Any, found: list[Any]) -> None:
    kind = type(value)
    if kind is ir.Var:
        found.append(value)
    elif kind is tuple or kind is list:
        for one in value:
            _collect(one, found)
    elif kind is dict:
        for one in value.values():
            _collect(one, found)
    elif isinstance(value, ir.Inst):
        found += value.list_vars()


def _no_way_in(_: Any) -> None:
    """`Lower.create_cfunc_wrapper`: C calls neither kernels nor what they are made of."""


class _Silence:
    """A log that nobody reads."""

    def debug(self, *_: Any) -> None:
        """Nothing."""


def _note_lifetimes(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """`PostProcessor.run`: what is known of lifetimes is worked out when it is asked for."""
    code = self.func_ir
    if code.is_generator:
        return _post_processing(self, emit_dels, extend_lifetimes)
    code.blocks = canonicalize_cfg(code.blocks)
    code.variable_lifetime = VariableLifetime(code.blocks)
    code.generator_info = None
    if emit_dels:
        self._insert_var_dels(extend_lifetimes=extend_lifetimes)
    return None


def _remembered_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
    """`BaseFunction.get_call_type`: the signature of a call of something built in."""
    asked = (self, tuple(args), tuple(kws.items()))
    try:
        return _known_calls[asked]
    except KeyError:
        pass
    except TypeError:  # an argument that is not hashable
        return _call_type(self, context, args, kws)
    found = _call_type(self, context, args, kws)
    if all(isinstance(one, types.Type) and one.is_precise() for one in (*args, *kws.values())):
        _known_calls[asked] = found
    return found


def _template_of_plain_types(self: Any, args: Any, kws: Any) -> Any:
    """`Dispatcher.get_call_template`: a kernel is not compiled for constants."""
    ours = self.py_func.__module__.startswith(_KERNELS)
    return _call_template(self, tuple(map(types.unliteral, args)) if ours else args, kws)
