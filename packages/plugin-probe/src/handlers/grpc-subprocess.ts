/**
 * gRPC probes are made in a subprocess: what a server answers over HTTP/2 can end the process that reads it (Node's `~Http2Session`
 * holds its own count of memory for broken and aborts), which nothing in that process can catch.
 */
import { type Clock, errorText, isNodeAgentError, type NodeContext } from "@hooklet/core";
import { SharedHelper } from "@hooklet/linux";
import { Semaphore } from "@hooklet/utils";
import type { Attempt, GrpcRequest } from "../types.js";

/** Milliseconds that a process may be late with an answer, on a machine that is busy. */
const LATE = 10_000;
/** MiB of heap: answers are bounded, and so is what is probed at the same time. */
const HEAP = 128;
/** Concurrent retries, each in its own subprocess. */
const RETRIES_AT_ONCE = 4;

export class GrpcSubprocess {
  readonly #shared: SharedHelper;
  readonly #retries = new Semaphore(RETRIES_AT_ONCE);
  readonly #retrying = new Set<SharedHelper>();
  #closed = false;

  constructor(private readonly ctx: Pick<NodeContext, "clock" | "log">) {
    this.#shared = this.#subprocess();
  }

  /**
   * One attempt; never rejects. When the subprocess ends, each probe under way is retried once in its own subprocess:
   * a server that crashes the subprocess affects no other pod's probes. Its own attempt gets no result.
   */
  async probe(_: Clock, request: GrpcRequest): Promise<Attempt> {
    try {
      return await this.#call(this.#shared, request);
    } catch (error) {
      if (this.#closed || !isNodeAgentError(error, "HOST_UNAVAILABLE")) return withoutVerdict(error);
      return this.#retries.run(() => this.#retry(request));
    }
  }

  close(): void {
    this.#closed = true;
    this.#shared.close();
    for (const subprocess of this.#retrying) subprocess.close();
  }

  async #retry(request: GrpcRequest): Promise<Attempt> {
    const subprocess = this.#subprocess();
    this.#retrying.add(subprocess);
    if (this.#closed) subprocess.close();
    try {
      return await this.#call(subprocess, request);
    } catch (error) {
      return withoutVerdict(error);
    } finally {
      subprocess.close();
      this.#retrying.delete(subprocess);
    }
  }

  #call(subprocess: SharedHelper, request: GrpcRequest): Promise<Attempt> {
    return subprocess.call<Attempt>("grpc", request, request.timeoutMilliseconds + LATE);
  }

  #subprocess(): SharedHelper {
    return new SharedHelper({
      clock: this.ctx.clock,
      module: new URL("./grpc-subprocess-main.js", import.meta.url),
      heap: HEAP,
      onDeath: (how) =>
        this.ctx.log.warn(
          { how },
          `a process that makes gRPC probes ended (${how}); the probes under way are made again`,
        ),
    });
  }
}

function withoutVerdict(error: unknown): Attempt {
  return { result: "unknown", output: "", error: errorText(error) };
}
