"""Blender's own way of retargeting, on pairs of BVH files; runs in an environment with bpy. Arguments: a JSON file that lists the pairs.

Every bone that has a partner copies its local rotation by a constraint, "Local Space (Owner Orientation)", which is made for rigs of other
axes; the hips copy the place of the other hips, whose armature is scaled by the legs. Nothing is baked: poses are read from the evaluated
armature.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import time
from pathlib import Path

import bpy
import numpy as np

_Z_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # what the importer turns a BVH file by


def read(path: str):
    """An armature with its motion."""
    bpy.ops.object.select_all(action="DESELECT")
    bpy.ops.import_anim.bvh(filepath=path, global_scale=1.0, axis_forward="-Z", axis_up="Y", update_scene_fps=True)
    armature = bpy.context.object
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in armature.data.edit_bones:
        bone.use_connect = False
    bpy.ops.object.mode_set(mode="OBJECT")
    return armature


def constrain(source, target, pairs: list[list[str]], hips: list[str]) -> None:
    """Let the bones of one armature follow those of another."""
    target.animation_data_clear()
    for theirs, own in pairs:
        bone = target.pose.bones[own]
        bone.matrix_basis.identity()
        copy = bone.constraints.new("COPY_ROTATION")
        copy.target, copy.subtarget = source, theirs
        copy.target_space, copy.owner_space = "LOCAL_OWNER_ORIENT", "LOCAL"
    place = target.pose.bones[hips[1]].constraints.new("COPY_LOCATION")
    place.target, place.subtarget = source, hips[0]
    place.target_space = place.owner_space = "WORLD"


def main() -> None:
    """Retarget every pair, and print where each result is and the CPU seconds it took."""
    done = []
    for pair in json.loads(Path(sys.argv[1]).read_text()):
        out = Path(pair["out"] + "_bpy.npz")
        bpy.ops.wm.read_factory_settings(use_empty=True)
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                source, target = read(pair["source"]), read(pair["target"])
                source.scale = (pair["scale"],) * 3
                start = time.process_time()
                constrain(source, target, pair["pairs"], pair["hips"])
                frames = int(source.animation_data.action.frame_range[1])
                names = [bone.name for bone in target.pose.bones]
                rest = np.array([np.array(target.data.bones[name].matrix_local) for name in names])
                places = np.tile(np.eye(4), (frames, len(names), 1, 1))
                for frame in range(frames):
                    bpy.context.scene.frame_set(frame + 1)
                    posed = target.evaluated_get(bpy.context.evaluated_depsgraph_get())
                    for n, name in enumerate(names):
                        matrix = np.array(posed.matrix_world @ posed.pose.bones[name].matrix)
                        turned = matrix[:3, :3] @ rest[n, :3, :3].T
                        places[frame, n, :3, :3] = _Z_UP.T @ turned @ _Z_UP
                        places[frame, n, :3, 3] = _Z_UP.T @ matrix[:3, 3]
                seconds = time.process_time() - start
            np.savez(out, names=np.array(names), places=places)
            done.append({"file": str(out), "seconds": seconds})
        except Exception as error:
            done.append({"file": "", "error": f"{type(error).__name__}: {error}"})
    print("DONE " + json.dumps({"version": bpy.app.version_string, "done": done}))


if __name__ == "__main__":
    main()
