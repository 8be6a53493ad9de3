"""Motion that fits the body: limbs kept out of each other, soles on the floor, balance, bodies that change while they move."""

from reenact.callable_package import make_callable

make_callable(__name__)
