"""Grafting: limbs of one motion on the body of another, in step with its feet, one pair at a time or a whole library."""

from reenact.callable_package import make_callable

make_callable(__name__)
