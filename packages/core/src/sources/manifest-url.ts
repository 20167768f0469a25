/** A manifest that is polled from a URL (kubelet pkg/kubelet/config/http.go); its pods carry the mark `http`. */

import type { Pod } from "@hooklet/manifest";
import { readManifest, staticPod } from "@hooklet/manifest";
import { agentStopping, type Clock, type Timer, tookTooLong, withDeadline, withoutPasswords } from "@hooklet/utils";
import type * as v1 from "kubernetes-types/core/v1.js";
import type { Agent } from "undici";
import { FaultLedger, faultOf } from "./faults.js";
import { fetchManifest, firstHop, type Hop } from "./http-fetch.js";
import type { PodSource, SourceSink } from "./port.js";
import { keepUnchanged } from "./same-pod.js";

export interface ManifestUrlOptions {
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
      if (
        this.#pods !== undefined &&
        kept.length === this.#pods.length &&
        kept.every((pod, i) => pod === this.#pods?.[i])
      ) {
        return;
      }
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
