/** One GET that follows redirects and takes what the configuration gives to this origin to no other. */
import { MAX_MANIFEST_BYTES } from "@hooklet/manifest";
import { NodeAgentError, withoutPasswords } from "@hooklet/utils";
import type { Agent } from "undici";

export type Headers = Readonly<Record<string, readonly string[]>>;

/** One request: its URL and headers. */
export interface Hop {
  /** Without name and password. */
  readonly url: string;
  readonly headers: Headers;
}

const MAX_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];

/** The first request: name and password of the URL become a header, as curl and Go send them. Pure. */
export function firstHop(url: string, headers: Headers): Hop {
  const { username, password } = new URL(url);
  if (username === "" && password === "") return { url, headers };
  const plain = new URL(url);
  plain.username = "";
  plain.password = "";
  const named = Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const basic = { authorization: [`Basic ${Buffer.from(credentials).toString("base64")}`] };
  return { url: plain.href, headers: named ? headers : { ...headers, ...basic } };
}

/**
 * Where an answer sends the request on: configured headers stay with their origin, and nothing goes from https to http. Pure.
 * @throws NodeAgentError INVALID
 */
export function nextHop({ url, headers }: Hop, location: string): Hop {
  const from = new URL(url);
  let to: URL;
  try {
    to = new URL(location, from);
  } catch (cause) {
    throw failure(`${url} redirects to ${JSON.stringify(location.slice(0, 200))}; expected a URL`, cause);
  }
  if (from.protocol === "https:" && to.protocol !== "https:") {
    throw failure(`${url} redirects to ${to.protocol}//${to.host}; expected to stay on https`);
  }
  if (to.protocol !== "https:" && to.protocol !== "http:") {
    throw failure(`${url} redirects to ${to.protocol}; expected http or https`);
  }
  to.username = "";
  to.password = "";
  return { url: to.href, headers: to.origin === from.origin ? headers : {} };
}

/** The body of a response with status 200. @throws NodeAgentError INVALID for any other one, without passwords */
export async function fetchManifest(agent: Agent, first: Hop, signal: AbortSignal): Promise<Buffer> {
  // Only nodes with a manifest URL need the library's few MiB.
  const { request } = await import("undici");
  let hop = first;
  for (let redirects = 0; ; redirects += 1) {
    const { statusCode, headers, body } = await request(hop.url, {
      signal,
      headers: Object.fromEntries(Object.entries(hop.headers).map(([name, values]) => [name, [...values]])),
      dispatcher: agent,
    });
    if (statusCode === 200) return read(body, hop.url);
    // What is left of the answer goes with the connection.
    body.on("error", () => {}).destroy();
    const { location } = headers;
    if (!REDIRECTS.includes(statusCode) || typeof location !== "string" || redirects === MAX_REDIRECTS) {
      throw failure(`${first.url} answered with status ${statusCode}; expected 200 and a manifest`);
    }
    hop = nextHop(hop, location);
  }
}

async function read(body: AsyncIterable<Buffer>, url: string): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of body) {
    length += part.length;
    if (length > MAX_MANIFEST_BYTES) {
      throw failure(`the answer of ${url} is too long; expected at most ${MAX_MANIFEST_BYTES} bytes`);
    }
    parts.push(part);
  }
  if (length === 0) throw failure(`zero-length data received from ${url}; expected a manifest`);
  return Buffer.concat(parts);
}

function failure(message: string, cause?: unknown): NodeAgentError {
  return new NodeAgentError("INVALID", withoutPasswords(message), { cause });
}
