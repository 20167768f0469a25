/** CRI calls with the kubelet's deadlines. */

import type { GrpcClient } from "./grpc-client.js";
import type { CriRuntimeOptions } from "./options.js";
import type { Answers, Rpc } from "./wire.js";

/** Milliseconds beyond a timeout that the runtime itself keeps. */
const MARGIN = 5_000;
/** A pull takes as long as it takes, the registry's silence is the runtime's to end. */
const PULL = 3_600_000;
/** `timeoutSeconds` 0: no limit but this one. */
const ENDLESS_EXEC = 24 * 3_600_000;

const IMAGE_CALLS: ReadonlySet<Rpc> = new Set(["ListImages", "ImageStatus", "PullImage", "RemoveImage", "ImageFsInfo"]);

export class Calls {
  readonly #timeout: number;

  constructor(
    private readonly runtime: GrpcClient,
    private readonly images: GrpcClient,
    options: Pick<CriRuntimeOptions, "runtimeRequestTimeout">,
  ) {
    this.#timeout = options.runtimeRequestTimeout * 1000;
  }

  /** An ordinary call. Rejects with CallError. */
  call<R extends Rpc>(rpc: R, request: object, signal?: AbortSignal): Promise<Answers[R]> {
    if (rpc === "ExecSync") return this.runtime.execSync(request, this.#deadline(rpc, request)) as Promise<Answers[R]>;
    const client = IMAGE_CALLS.has(rpc) ? this.images : this.runtime;
    return client.call(rpc, request, this.#deadline(rpc, request), signal);
  }

  #deadline(rpc: Rpc, request: object): number {
    if (rpc === "PullImage") return PULL;
    if (rpc === "RunPodSandbox") return 2 * this.#timeout;
    const seconds = "timeout" in request ? Number(request.timeout) : 0;
    if (rpc === "ExecSync") return seconds === 0 ? ENDLESS_EXEC : seconds * 1000 + MARGIN;
    return this.#timeout + seconds * 1000;
  }
}
