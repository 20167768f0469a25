/** A manifest that is polled from a URL (kubelet pkg/kubelet/config/http.go); its pods carry the mark `http`. */

import type { PodSource, SourceSink } from "@hooklet/core/host";
import { keepUnchanged, MAX_MANIFEST_BYTES, type Pod, readManifest, staticPod } from "@hooklet/manifest";
import {
  agentStopping,
  type Clock,
  NodeAgentError,
  type Timer,
  tookTooLong,
  withDeadline,
  withoutPasswords,
} from "@hooklet/utils";
import type * as v1 from "kubernetes-types/core/v1.js";
import type { Agent } from "undici";
import { FaultLedger, faultOf } from "./faults.js";

interface ManifestUrlOptions {
  /** http or https. */
  readonly url: string;
  /** Sent with each request, also to where it is redirected on the same origin, and never to another one. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly nodeName: string;
  /** Seconds between two polls. */
  readonly httpCheckFrequency: number;
  readonly clock: Clock;
}

const TIMEOUT = 10_000;

/** While polls fail, the pods of the last good one stay. Proxies are not used. */
export function manifestUrl(options: ManifestUrlOptions): PodSource {
  return new ManifestUrl(options);
}

class ManifestUrl implements PodSource {
  readonly name = "manifestUrl";
  readonly #options: ManifestUrlOptions;
  readonly #hop: Hop;
  /** The URL as events and logs may have it. */
  readonly #where: string;
  readonly #stop = new AbortController();
  #agent: Agent | undefined;
  #timer: Timer | undefined;
  #running: Promise<void> = Promise.resolve();
  /** The last answer, good or not: the same bytes are not parsed again. */
  #bytes: Buffer | undefined;
  #pods: readonly Pod[] | undefined;

  constructor(options: ManifestUrlOptions) {
    this.#options = options;
    this.#hop = firstHop(options.url, options.headers);
    this.#where = withoutPasswords(options.url);
  }

  placeOf(uid: string): string | undefined {
    return this.#pods?.some(({ metadata }) => metadata.uid === uid) ? this.#where : undefined;
  }

  async start(sink: SourceSink): Promise<void> {
    const faults = new FaultLedger(sink);
    const poll = async (): Promise<void> => {
      await this.#poll(sink, faults);
      if (this.#stop.signal.aborted) return;
      this.#timer = this.#options.clock.schedule(this.#options.httpCheckFrequency * 1000, () => {
        this.#running = poll();
      });
    };
    this.#running = poll();
    await this.#running;
  }

  async stop(): Promise<void> {
    this.#stop.abort(agentStopping());
    this.#timer?.cancel();
    await this.#running;
    await this.#agent?.destroy();
  }

  async #poll(sink: SourceSink, faults: FaultLedger): Promise<void> {
    const { url, clock } = this.#options;
    try {
      const bytes = await this.#fetch();
      faults.mended("fetch");
      if (this.#bytes?.equals(bytes)) return;
      this.#bytes = bytes;
    } catch (error) {
      if (!this.#stop.signal.aborted) faults.report("fetch", faultOf(error, this.#where));
      return;
    }
    try {
      const { nodeName } = this.#options;
      const seen = clock.now();
      const identify = (pod: v1.Pod): Pod => staticPod(pod, { source: "http", where: url, nodeName, seen });
      const pods = await readManifest(this.#bytes, this.#where, identify, sink.provided);
      faults.mended("manifest");
      const kept = keepUnchanged(this.#pods ?? [], pods);
      if (kept.length === this.#pods?.length && kept.every((pod, i) => pod === this.#pods?.[i])) return;
      this.#pods = kept;
      if (!this.#stop.signal.aborted) sink.desired(kept);
    } catch (error) {
      faults.report("manifest", faultOf(error, this.#where));
    }
  }

  async #fetch(): Promise<Buffer> {
    const { clock } = this.#options;
    const cancel = new AbortController();
    const signal = AbortSignal.any([this.#stop.signal, cancel.signal]);
    const what = `got no answer from ${this.#where}`;
    const late = (): Error =>
      tookTooLong("SOURCE_TIMEOUT", `Source ${this.name}`, what, TIMEOUT / 1000, "it is asked again");
    try {
      return await withDeadline(clock, TIMEOUT, this.#get(signal), late);
    } finally {
      cancel.abort();
    }
  }

  async #get(signal: AbortSignal): Promise<Buffer> {
    // Only nodes with a manifest URL need the library's few MiB.
    const { Agent } = await import("undici");
    this.#agent ??= new Agent({ maxHeaderSize: 64 * 1024, keepAliveTimeout: 1_000 });
    return fetchManifest(this.#agent, this.#hop, signal);
  }
}

/** One GET that follows redirects and takes what the configuration gives to this origin to no other. */
type Headers = Readonly<Record<string, readonly string[]>>;

/** One request: its URL and headers. */
interface Hop {
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
async function fetchManifest(agent: Agent, first: Hop, signal: AbortSignal): Promise<Buffer> {
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
