"""One worker protocol for both sides: a task is named on stdin, its CPU seconds come back on stdout, one JSON object a line.

Only the standard library is used here, as this file runs in the peers' environment too.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable
from typing import Any

SLOW = 3.0  # seconds: from here on once is enough
MOST = 50  # calls of a task in one go


def measure(task: Callable[[], object], seconds: float = 0.3, most: int = MOST) -> float:
    """CPU seconds of the best of several calls: as many as fit in `seconds`, at least one, at most `most`."""
    best = float("inf")
    gc.collect()
    gc.disable()
    try:
        spent = 0.0
        for _ in range(most):
            start = time.process_time()
            result = task()
            took = time.process_time() - start
            del result
            best = min(best, took)
            spent += took
            if spent >= seconds:
                break
    finally:
        gc.enable()
    return best


def serve(tasks: dict[str, Callable[..., Callable[[], object]]]) -> None:
    """Answer requests until the input ends. A task makes, from its arguments, the function to time; it is made once for equal requests."""
    made: dict[str, Callable[[], object]] = {}
    answers = sys.stdout
    sys.stdout = sys.stderr  # whatever a package prints must not mix with the answers
    for line in sys.stdin:
        request: dict[str, Any] = json.loads(line)
        key = json.dumps(request, sort_keys=True)
        try:
            slow = False
            if key not in made:
                made[key] = tasks[request["task"]](**request["arguments"])
                slow = measure(made[key], most=1) > SLOW  # never counts: it compiles code and fills the page cache
            answer: dict[str, object] = {"seconds": measure(made[key], most=1 if slow else MOST)}
        except Exception as error:  # whatever a package raises, the table says it
            answer = {"error": f"{type(error).__name__}: {error}"[:200]}
        print(json.dumps(answer), file=answers, flush=True)
