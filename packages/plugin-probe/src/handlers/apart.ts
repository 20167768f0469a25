/**
 * HTTP/2 is spoken with containers by a process of its own: what a server answers can end the process that reads it (Node's
 * `~Http2Session` holds its own count of memory for broken and aborts), which nothing in that process can catch. HTTP/1 and TCP are
 * the agent's own.
 */
import { type Clock, errorText, type NodeContext } from "@hooklet/core";
import { SharedHelper } from "@hooklet/core/host";
import type { Attempt, GrpcRequest } from "../types.js";
import { type HttpRequest, httpProbe } from "./http.js";
import type { ProbeNetwork } from "./run.js";
import { joinHostPort } from "./target.js";
import { tcpProbe } from "./tcp.js";

/** Milliseconds in which who was probed when the process ended is probed from another process than all others. Own. */
const SUSPECTED = 600_000;
/** Milliseconds that the process may be late with an answer, on a machine that is busy. */
const LATE = 30_000;
/** MiB of heap: answers are bounded, and so is what is probed at the same time. */
const HEAP = 128;

export class NetworkApart implements ProbeNetwork {
  /** Target -> when it was last probed while the process ended (monotonic milliseconds). */
  readonly #suspects = new Map<string, number>();
  readonly #all: SharedHelper;
  readonly #suspected: SharedHelper;

  constructor(private readonly ctx: Pick<NodeContext, "clock" | "log">) {
    const { clock } = ctx;
    const module = new URL("./apart-helper.js", import.meta.url);
    const onDeath = (how: string, targets: readonly string[]): void => this.#died(how, targets);
    this.#all = new SharedHelper({ clock, module, heap: HEAP, onDeath });
    this.#suspected = new SharedHelper({ clock, module, heap: HEAP, onDeath });
  }

  http(clock: Clock, request: HttpRequest): Promise<Attempt> {
    const { url, timeoutMilliseconds } = request;
    if (!request.h2c || url.scheme !== "http") return httpProbe(clock, request);
    return this.#call("http", request, joinHostPort(url.host, url.port), timeoutMilliseconds);
  }

  readonly tcp = tcpProbe;

  grpc(_: Clock, request: GrpcRequest): Promise<Attempt> {
    const { host, port, timeoutMilliseconds } = request;
    return this.#call("grpc", request, joinHostPort(host, port), timeoutMilliseconds);
  }

  close(): void {
    this.#all.close();
    this.#suspected.close();
  }

  async #call(operation: string, request: object, target: string, milliseconds: number): Promise<Attempt> {
    const helper = this.#isSuspect(target) ? this.#suspected : this.#all;
    try {
      return await helper.call<Attempt>(operation, request, target, milliseconds + LATE);
    } catch (error) {
      return { result: "unknown", output: "", error: errorText(error) };
    }
  }

  #isSuspect(target: string): boolean {
    const since = this.#suspects.get(target);
    if (since === undefined) return false;
    if (this.ctx.clock.monotonic() - since < SUSPECTED) return true;
    this.#suspects.delete(target);
    return false;
  }

  #died(how: string, targets: readonly string[]): void {
    const now = this.ctx.clock.monotonic();
    for (const [target, since] of this.#suspects) if (now - since >= SUSPECTED) this.#suspects.delete(target);
    for (const target of targets) this.#suspects.set(target, now);
    this.ctx.log.warn(
      { how, targets: targets.slice(0, 20), count: targets.length },
      `The process that makes probes over HTTP/2 ended (${how}) while it probed ${targets.length} servers; one of them may have ended it`,
    );
  }
}
