/** The studio's requests. Every failure becomes a `RequestError` with one sentence for a person. */

import type {
  ClipChange,
  ClipDetail,
  ClipList,
  ClipSummary,
  ClipTracks,
  Command,
  ErrorAnswer,
  HistoryStep,
  Job,
  JobList,
  OperationRequest,
  Removed,
  SentFile,
  Session,
  UploadResult,
} from "../generated/messages";
import { type CharacterMesh, decodeCharacter, decodeMotion, type Motion } from "../motion/decode";

export class RequestError extends Error {
  override readonly name = "RequestError";

  constructor(
    message: string,
    readonly status: number,
    readonly code = "",
    /** The parameter, file or clip it is about. */
    readonly where = "",
  ) {
    super(message);
  }
}

/** The error of an answer with a status of 400 or more, whatever its body holds. */
export function errorOf(status: number, statusText: string, body: string): RequestError {
  try {
    const answer = JSON.parse(body) as Partial<ErrorAnswer>;
    if (answer.error?.message)
      return new RequestError(answer.error.message, status, answer.error.code, answer.error.where);
  } catch {
    // not JSON: a proxy or a crash answered; the status has to do
  }
  return new RequestError(`The server answered ${status} ${statusText}`.trim(), status);
}

async function send(path: string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(`./api/${path}`, { credentials: "same-origin", ...init });
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === "AbortError") throw cause;
    throw new RequestError("The server does not answer. Is `reenact studio` still running?", 0, "offline");
  }
  if (!response.ok) throw errorOf(response.status, response.statusText, await response.text());
  return response;
}

async function json<T>(path: string, init: RequestInit = {}): Promise<T> {
  return (await (await send(path, init)).json()) as T;
}

function body(method: string, value: unknown): RequestInit {
  return { method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(value) };
}

type Versioned = Pick<ClipSummary, "id" | "revision">;

function versioned({ id, revision }: Versioned, what: string): string {
  return `clips/${id}/${what}?v=${encodeURIComponent(revision)}`;
}

export const api = {
  session: (): Promise<Session> => json("session"),

  clips: (query: string, offset: number, limit: number, signal?: AbortSignal): Promise<ClipList> =>
    json(
      `clips?${new URLSearchParams({ query, offset: String(offset), limit: String(limit) })}`,
      signal ? { signal } : {},
    ),

  clip: (id: number): Promise<ClipDetail> => json(`clips/${id}`),

  tracks: (id: number): Promise<ClipTracks> => json(`clips/${id}/tracks`),

  motion: async (clip: Versioned): Promise<Motion> =>
    decodeMotion(await (await send(versioned(clip, "motion"))).arrayBuffer()),

  character: async (clip: Versioned): Promise<CharacterMesh> =>
    decodeCharacter(await (await send(versioned(clip, "character"))).arrayBuffer()),

  /** A person on the skeleton of a clip that has no mesh. */
  person: async (clip: Versioned): Promise<CharacterMesh> =>
    decodeCharacter(await (await send(`${versioned(clip, "character")}&figure=person`)).arrayBuffer()),

  thumbnailAddress: (clip: Versioned, background: "light" | "dark"): string =>
    `./api/${versioned(clip, "thumbnail")}&background=${background}`,

  exportAddress: (id: number, format: string): string =>
    `./api/clips/${id}/export?format=${encodeURIComponent(format)}`,

  change: (id: number, change: ClipChange): Promise<ClipSummary> => json(`clips/${id}`, body("PATCH", change)),

  remove: (id: number): Promise<Removed> => json(`clips/${id}`, { method: "DELETE" }),

  undo: (): Promise<HistoryStep> => json("history/undo", { method: "POST" }),

  redo: (): Promise<HistoryStep> => json("history/redo", { method: "POST" }),

  command: (operation: string, request: OperationRequest, signal?: AbortSignal): Promise<Command> =>
    json(`operations/${encodeURIComponent(operation)}/command`, {
      ...body("POST", request),
      ...(signal ? { signal } : {}),
    }),

  run: (operation: string, request: OperationRequest): Promise<Job> =>
    json(`operations/${encodeURIComponent(operation)}`, body("POST", request)),

  /** Sends a file that a parameter names. */
  sendFile: (file: File): Promise<SentFile> =>
    json(`files?name=${encodeURIComponent(file.name)}`, {
      method: "POST",
      headers: { "Content-Type": "application/octet-stream" },
      body: file,
    }),

  /** Of a picture or page that a job made. */
  resultAddress: (path: string): string => `./api/${path}`,

  jobs: (): Promise<JobList> => json("jobs"),

  job: (id: string): Promise<Job> => json(`jobs/${encodeURIComponent(id)}`),

  cancel: (id: string): Promise<Job> => json(`jobs/${encodeURIComponent(id)}/cancel`, { method: "POST" }),

  /** Sends a file; `progress` is told the share sent. `fetch` cannot report that, so this is an XMLHttpRequest. */
  upload: (file: File, progress: (share: number) => void): Promise<UploadResult> =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open("POST", `./api/upload?name=${encodeURIComponent(file.name)}`);
      request.setRequestHeader("Content-Type", "application/octet-stream");
      request.upload.onprogress = (event) => event.lengthComputable && progress(event.loaded / event.total);
      request.onerror = () => reject(new RequestError("The connection broke while sending.", 0, "offline"));
      request.onload = () => {
        if (request.status >= 400) reject(errorOf(request.status, request.statusText, request.responseText));
        else resolve(JSON.parse(request.responseText) as UploadResult);
      };
      request.send(file);
    }),
};

/** The name of a file to save, as its answer says it; empty where it says none. Names with `+` or spaces come percent-encoded. */
export function fileNameOf(disposition: string): string {
  const encoded = /filename\*\s*=\s*utf-8''([^;\s]+)/i.exec(disposition)?.[1];
  if (encoded) {
    try {
      return decodeURIComponent(encoded);
    } catch {
      // not what it says it is: the plain name has to do
    }
  }
  return /filename\s*=\s*"([^"]+)"/i.exec(disposition)?.[1] ?? "";
}

/** One sentence for a person from anything thrown. */
export function sentence(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
