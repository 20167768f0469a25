/** The events of a watch: lines of JSON, with the fields checked that all events have. */
import { ApiError, UNREACHABLE, watchError } from "./api-error.js";

export interface KubeObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

export type WatchEvent<T extends KubeObject> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }
  | { readonly type: "BOOKMARK"; readonly object: KubeObject };

/** One object of the API is at most a few MiB. */
const MAX_LINE = 16 * 1024 * 1024;

/** Rejects with ApiError for an ERROR of the server and for what is no watch event. */
export async function* watchEvents<T extends KubeObject>(
  what: string,
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<WatchEvent<T>> {
  for await (const line of lines(what, chunks)) yield readEvent<T>(what, line);
}

async function* lines(what: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...parts, chunk.subarray(from, end)]).toString("utf8");
      parts = [];
      length = 0;
      from = end + 1;
      if (line.trim() !== "") yield line;
    }
    if (from === chunk.length) continue;
    parts.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > MAX_LINE)
      throw new ApiError(UNREACHABLE, "TooLong", `${what}: an event is longer than ${MAX_LINE} bytes`);
  }
}

function readEvent<T extends KubeObject>(what: string, line: string): WatchEvent<T> {
  let event: { type?: unknown; object?: { metadata?: { name?: unknown } } };
  try {
    event = JSON.parse(line) as typeof event;
  } catch (cause) {
    throw new ApiError(UNREACHABLE, "BadEvent", `${what}: an event is no JSON`, undefined, { cause });
  }
  const { type, object } = event;
  if (type === "ERROR") throw watchError(what, object);
  const isKnown = type === "ADDED" || type === "MODIFIED" || type === "DELETED";
  if (type === "BOOKMARK" || (isKnown && typeof object?.metadata?.name === "string")) {
    return event as unknown as WatchEvent<T>;
  }
  throw new ApiError(UNREACHABLE, "BadEvent", `${what}: expected an event of a watch, found ${line.slice(0, 80)}`);
}
