"""Check the quality of a clip, plant a defect, and see what the report says about it."""

from dataclasses import replace

import numpy as np

from reenact.analysis.quality import QualityLimits, check_clip, compare_reports
from reenact.render.quality_page import save_quality_page
from reenact.samples import make_sample

walk = make_sample("walk_normal").clip
report = check_clip(walk)
print(f"{walk.name}: {'pass' if report.ok else 'over a limit'}, worst skate {report.measures['skate_mm_max']:.1f} mm")

root = walk.root.copy()
root[200] += (0.06, 0.04, 0.0)  # the body jumps for one frame
root += np.random.default_rng(0).normal(0, 0.003, root.shape).astype(np.float32)  # and trembles by 3 mm
broken = check_clip(replace(walk, root=root))
for finding in broken.over:
    print(f"  {finding.severity}: {finding.where}: {finding.message} [{finding.code}]")

comparison = compare_reports(report, broken)
print("worse:", ", ".join(f"{change.name} {change.before:g} to {change.after:g}" for change in comparison.worse))

strict = check_clip(walk, QualityLimits(penetration_mm=1.0))  # limits of your own
print("with stricter limits:", [finding.code for finding in strict.over])

save_quality_page([("before", report), ("after", broken)], "quality.html", "Walk", comparison)
print("look at quality.html")
