"""Samples come with ground truth: contacts, labels, gait cycles and centre of mass are known from the plan of the motion."""

import numpy as np

from reenact.samples import make_sample

sample = make_sample("walk_normal")
truth = sample.truth
both = truth.left.planted & truth.right.planted
print(f"{sample.description}: {len(truth.cycles)} cycles")
print(f"double support {both.mean():.0%} of the time, flight {truth.flight.mean():.0%}")

run = make_sample("run")
print(f"the run is in the air {run.truth.flight.mean():.0%} of the time")
height = run.truth.centre_of_mass[:, 1].astype(float)
falling = np.gradient(np.gradient(height)) * run.clip.fps**2
flight = run.truth.flight & np.roll(run.truth.flight, 2) & np.roll(run.truth.flight, -2)
print(f"and falls at {falling[flight].mean():.1f} m/s2 there")
