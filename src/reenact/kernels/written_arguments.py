"""Which of its arguments a kernel writes to, read from its source.

Numba types an array that is read-only otherwise than one that is not, and would compile each kernel for every mixture of the two. Here it
compiles for arrays that may be written to, and a call with a read-only one is refused where the kernel writes to it.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from functools import cache
from typing import Any


@cache
def written_arguments(function: Any) -> tuple[int, ...]:
    """Places of the arguments whose elements are assigned to, by the function or by a kernel it calls."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    parameters = [argument.arg for argument in tree.args.args]
    roots = _aliases(tree, parameters)
    written: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in _flat(targets):
                if isinstance(target, ast.Subscript):
                    written |= _roots(target.value, roots)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            called = getattr(function.__globals__.get(node.func.id), "function", None)
            if inspect.isfunction(called) and called is not function:
                for place in written_arguments(called):
                    if place < len(node.args):
                        written |= _roots(node.args[place], roots)
    return tuple(place for place, name in enumerate(parameters) if name in written)


def _aliases(tree: ast.FunctionDef, parameters: list[str]) -> dict[str, set[str]]:
    """Of each name the parameters it may be a part of: rows and slices taken out of them, and names of those."""
    roots = {name: {name} for name in parameters}
    pairs = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                pairs += _paired(target, node.value)
    for _ in range(len(pairs)):
        before = sum(map(len, roots.values()))
        for name, value in pairs:
            if found := _roots(value, roots):
                roots[name] = roots.get(name, set()) | found
        if sum(map(len, roots.values())) == before:
            break
    return roots


def _paired(target: ast.expr, value: ast.expr) -> list[tuple[str, ast.expr]]:
    if isinstance(target, ast.Name):
        return [(target.id, value)]
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return [pair for one, other in zip(target.elts, value.elts, strict=True) for pair in _paired(one, other)]
    return []


def _roots(node: ast.expr, roots: dict[str, set[str]]) -> set[str]:
    """The parameters an expression may be a part of."""
    if isinstance(node, ast.IfExp):
        return _roots(node.body, roots) | _roots(node.orelse, roots)
    while isinstance(node, ast.Subscript | ast.Attribute):
        if isinstance(node, ast.Attribute) and node.attr != "T":
            return set()
        node = node.value
    return roots.get(node.id, set()) if isinstance(node, ast.Name) else set()


def _flat(targets: list[ast.expr]) -> list[ast.expr]:
    return [one for target in targets for one in (_flat(target.elts) if isinstance(target, ast.Tuple) else [target])]
