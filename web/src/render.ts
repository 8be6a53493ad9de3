/** The page that only makes pictures: driven by a job of the server, or from outside through `window.reenactRender`. */

import { api, errorOf, sentence } from "./api/client";
import type { RenderRequest } from "./generated/messages";
import { treeFromMessage } from "./motion/kinematics";
import { unpack } from "./viewer/materials";
import { parseView, type Performer, PictureMaker, type PictureOptions } from "./viewer/picture";
import { VIEWS } from "./viewer/viewer";

declare global {
  interface Window {
    reenactRender: {
      readonly maker: PictureMaker;
      /** Puts clips of the library on the stage. */
      load(clips: readonly number[], options?: Partial<PictureOptions>): Promise<void>;
      drawFrame(time: number): void;
      drawPoses(times: readonly number[], mode: "path" | "row" | "auto"): void;
      /** True once the job named in the address is done or has failed. */
      finished: boolean;
    };
  }
}

async function fetchPerformer(id: number): Promise<Performer> {
  const detail = await api.clip(id);
  const motion = await api.motion(detail.summary);
  const outfit = detail.summary.has_character ? await unpack(await api.character(detail.summary)) : null;
  return { id, tree: treeFromMessage(detail.skeleton), motion, outfit };
}

async function post(path: string, body: BodyInit | null, type: string): Promise<void> {
  const response = await fetch(path, {
    method: "POST",
    credentials: "same-origin",
    headers: { "Content-Type": type },
    body,
  });
  if (!response.ok) throw errorOf(response.status, response.statusText, await response.text());
}

async function runJob(job: string, maker: PictureMaker): Promise<void> {
  const base = `./api/render/${encodeURIComponent(job)}`;
  try {
    const response = await fetch(base, { credentials: "same-origin" });
    if (!response.ok) throw errorOf(response.status, response.statusText, await response.text());
    const request = (await response.json()) as RenderRequest;
    const performers = await Promise.all(request.clips.map(fetchPerformer));
    const { width, height, background, follow } = request;
    maker.load(performers, {
      width,
      height,
      background,
      follow,
      view: parseView(request.view) ?? VIEWS["three-quarter"],
    });
    const send = async (index: number): Promise<void> =>
      post(`${base}/frame?index=${index}`, await maker.png(), "image/png");
    if (request.mode === "animation") {
      for (let index = 0; index < request.times.length; index++) {
        maker.drawFrame(request.times[index]);
        await send(index);
      }
    } else {
      const times = request.times.length > 0 ? request.times : maker.poseTimes(request.every);
      maker.drawPoses(times, "auto");
      await send(0);
    }
    await post(`${base}/done`, null, "application/json");
  } catch (thrown) {
    await post(`${base}/done?error=${encodeURIComponent(sentence(thrown))}`, null, "application/json");
  }
}

const maker = new PictureMaker(document.getElementById("picture") as HTMLCanvasElement);
window.reenactRender = {
  maker,
  load: async (clips, options = {}) => maker.load(await Promise.all(clips.map(fetchPerformer)), options),
  drawFrame: (time) => maker.drawFrame(time),
  drawPoses: (times, mode) => maker.drawPoses(times, mode),
  finished: false,
};
const job = new URLSearchParams(location.search).get("job");
if (job !== null) void runJob(job, maker).finally(() => (window.reenactRender.finished = true));
