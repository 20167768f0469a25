/**
 * HTTP/2 is spoken with containers by processes of its own: what a server answers can end the process that reads it (Node's
 * `~Http2Session` holds its own count of memory for broken and aborts), which nothing in that process can catch. HTTP/1 and TCP are
 * the agent's own.
 */
import { type Clock, errorText, type NodeContext } from "@hooklet/core";
import { SharedHelper } from "@hooklet/core/host";
import type { Attempt, GrpcRequest } from "../types.js";
import { type HttpRequest, httpProbe } from "./http.js";
import type { ProbeNetwork } from "./run.js";
import { type Room, Suspects } from "./suspects.js";
import { joinHostPort } from "./target.js";
import { tcpProbe } from "./tcp.js";

/** Milliseconds that a process may be late with an answer, on a machine that is busy. */
const LATE = 10_000;
/** MiB of heap: answers are bounded, and so is what is probed at the same time. */
const HEAP = 128;
/** Targets that the log names. */
const NAMED = 20;

export class NetworkApart implements ProbeNetwork {
  readonly #suspects = new Suspects();
  readonly #helpers = new Map<Room, SharedHelper>();

  constructor(private readonly ctx: Pick<NodeContext, "clock" | "log">) {}

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
    for (const helper of this.#helpers.values()) helper.close();
  }

  async #call(operation: string, request: object, target: string, milliseconds: number): Promise<Attempt> {
    const { clock } = this.ctx;
    const room = this.#suspects.place(target, clock.monotonic());
    try {
      const attempt = await this.#helper(room).call<Attempt>(operation, request, milliseconds + LATE);
      this.#suspects.answered(target, room, clock.monotonic());
      return attempt;
    } catch (error) {
      return { result: "unknown", output: "", error: errorText(error) };
    }
  }

  #helper(room: Room): SharedHelper {
    const known = this.#helpers.get(room);
    if (known !== undefined) return known;
    const helper = new SharedHelper({
      clock: this.ctx.clock,
      module: new URL("./apart-helper.js", import.meta.url),
      heap: HEAP,
      onDeath: (how) => this.#ended(room, how),
    });
    this.#helpers.set(room, helper);
    return helper;
  }

  #ended(room: Room, how: string): void {
    const targets = this.#suspects.ended(room, this.ctx.clock.monotonic());
    const who =
      targets.length === 1 ? `after it had probed ${targets[0]}` : `one of ${targets.length} servers may have ended it`;
    this.ctx.log.warn(
      { how, targets: targets.slice(0, NAMED), count: targets.length },
      `A process that makes probes over HTTP/2 ended (${how}): ${who}`,
    );
  }
}
