/** The studio's start: viewer, state, panes, and the loop that plays. */

import { api, sentence } from "./api/client";
import type { Track } from "./generated/messages";
import { FrameCost } from "./player/frame_cost";
import { Quality } from "./player/quality";
import { Studio } from "./studio";
import { h } from "./ui/dom";
import { buildLayout } from "./ui/layout";
import { Viewer } from "./viewer/viewer";

declare global {
  interface Window {
    reenactStudio: {
      /** Mean milliseconds of this page's own work per drawn frame, over the last few seconds of drawing. */
      frameCost(): number;
      frame(): number;
      playing(): boolean;
      selectedJoint(): number;
      /** The rows of the time line, null while they are looked for. */
      tracks(): readonly Track[] | null;
      /** Where a joint of an open clip (default: the leading one) is now: metres on the stage, pixels from the page's top left corner. */
      jointPlace(joint: number, clip?: number): { world: number[]; page: number[] } | null;
    };
  }
}

const host = document.getElementById("studio")!;
const canvas = h("canvas", { class: "view", tabindex: 0, role: "img", "aria-label": "3-D view of the open clips" });

function begin(): void {
  const session = api.session(); // on its way while the page is built
  session.catch(() => undefined); // told by `connect`
  const viewer = new Viewer(canvas);
  const studio = new Studio(viewer);
  const cost = new FrameCost();
  const layout = buildLayout(host, studio, canvas);
  const holder = canvas.parentElement!;
  const quality = new Quality();
  const resize = (): void =>
    viewer.resize(holder.clientWidth, holder.clientHeight, quality.scale * Math.min(2, devicePixelRatio || 1));
  new ResizeObserver(resize).observe(holder);
  listenToPointer(studio, viewer);
  let last = performance.now();
  const loop = (now: number): void => {
    requestAnimationFrame(loop);
    const elapsed = Math.min(1, Math.max(0, (now - last) / 1000));
    last = now;
    if (quality.judge(elapsed, studio.clock.playing)) resize();
    const begun = performance.now();
    studio.transport.advance(elapsed);
    if (viewer.draw()) cost.add(performance.now() - begun);
  };
  requestAnimationFrame(loop);
  viewer.prepare();
  window.reenactStudio = {
    frameCost: () => cost.mean,
    frame: () => studio.clock.shown,
    playing: () => studio.clock.playing,
    selectedJoint: () => studio.cast.joint,
    tracks: () => studio.cast.tracks,
    jointPlace: (joint, clip = studio.cast.activeId) => {
      const place = viewer.locate(clip, joint);
      const box = canvas.getBoundingClientRect();
      return place && { world: place.world, page: [box.left + place.pixels[0], box.top + place.pixels[1]] };
    },
  };
  studio
    .connect(session)
    .then(() => {
      layout.start();
      return studio.restore();
    })
    .catch((thrown: unknown) => layout.fail(sentence(thrown)));
}

/** A click selects the joint under it; dragging is left to the camera. */
function listenToPointer(studio: Studio, viewer: Viewer): void {
  let x = 0;
  let y = 0;
  canvas.addEventListener("pointerdown", (event) => {
    x = event.clientX;
    y = event.clientY;
  });
  canvas.addEventListener("pointerup", (event) => {
    if (event.button !== 0 || Math.hypot(event.clientX - x, event.clientY - y) > 4) return studio.writeAddress();
    const box = canvas.getBoundingClientRect();
    const hit = viewer.pick(event.clientX - box.left, event.clientY - box.top);
    if (hit) studio.cast.activate(hit.id);
    studio.cast.selectJoint(hit ? hit.joint : -1);
  });
  canvas.addEventListener("wheel", () => studio.writeAddress(), { passive: true });
}

try {
  begin();
} catch (thrown) {
  host.replaceChildren(
    h(
      "div",
      { class: "stage-message" },
      h("strong", {}, "The 3-D view could not start"),
      h("p", {}, `${sentence(thrown)} The studio needs WebGL 2.`),
    ),
  );
}
