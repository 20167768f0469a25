/** The one gRPC client: a unix socket, a deadline on every call, reconnects soon after the runtime is back. */
import { type CallOptions, Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import type { MessageTypeDefinition, MethodDefinition } from "@grpc/proto-loader";
import type { Clock, Timer } from "@hooklet/core";
import { CallError, Code } from "./call-errors.js";
import { definitions } from "./definitions.js";
import { ExecSyncClient, LARGEST_ANSWER } from "./exec-sync/call.js";
import type { Answers, Rpc, Streams } from "./wire.js";

/** Messages of a stream that are taken in a second; the others wait at the runtime. A node of 110 pods has some tens. */
const MOST_MESSAGES = 1_000;
const SECOND = 1_000;

type Definition = MethodDefinition<object, object>;

export class GrpcClient {
  readonly #client: Client;
  readonly #execSync: ExecSyncClient;
  readonly #methods = new Map<string, Definition>();
  readonly #taskEvent: MessageTypeDefinition<object, object>;

  /** @param endpoint `unix:///run/containerd/containerd.sock` */
  constructor(
    endpoint: string,
    private readonly clock: Clock,
  ) {
    this.#client = new Client(endpoint, credentials.createInsecure(), {
      "grpc.initial_reconnect_backoff_ms": 100,
      "grpc.min_reconnect_backoff_ms": 100,
      "grpc.max_reconnect_backoff_ms": 500,
      "grpc.max_receive_message_length": LARGEST_ANSWER,
      // Without it all clients of one endpoint in this process share a connection, and close it for each other.
      "grpc.use_local_subchannel_pool": 1,
      // Paths of unix sockets are no host names; containerd 1.6 rejects an unusual authority.
      "grpc.default_authority": "localhost",
      // Statistics per call that nothing reads.
      "grpc.enable_channelz": 0,
    });
    this.#execSync = new ExecSyncClient(endpoint.replace(/^unix:(?:\/\/)?/, ""), clock);
    const all = definitions();
    for (const entry of Object.values(all)) {
      if ("format" in entry) continue;
      for (const [name, method] of Object.entries(entry)) this.#methods.set(name, method as Definition);
    }
    this.#taskEvent = all["containerd.services.events.v1.TaskEvent"] as MessageTypeDefinition<object, object>;
  }

  /** @param timeout milliseconds. Rejects with CallError. */
  call<R extends Rpc>(rpc: R, request: object, timeout: number, signal?: AbortSignal): Promise<Answers[R]> {
    const { path, requestSerialize, responseDeserialize } = this.#method(rpc);
    const options: CallOptions = { deadline: this.clock.now() + timeout };
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(new CallError(rpc, Code.CANCELLED, "cancelled before it began"));
        return;
      }
      const cancel = (): void => call.cancel();
      const done = (error: ServiceError | null, answer?: object): void => {
        signal?.removeEventListener("abort", cancel);
        if (error !== null) reject(new CallError(rpc, error.code, withoutEmptyNote(error.details)));
        else resolve(answer as Answers[R]);
      };
      const call = this.#client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        new Metadata(),
        options,
        done,
      );
      signal?.addEventListener("abort", cancel, { once: true });
    });
  }

  /** As `call`, and holds no more of the answer than counts. */
  execSync(request: object, timeout: number): Promise<Answers["ExecSync"]> {
    const { path, requestSerialize } = this.#method("ExecSync");
    return this.#execSync.call({ path, message: requestSerialize(request), timeout });
  }

  /** Calls back until the stream ends; `ended` comes once, with what ended it. Returns what cancels it. */
  stream<S extends keyof Streams>(
    rpc: S,
    request: object,
    on: { readonly data: (message: Streams[S]) => void; readonly ended: (error: CallError | undefined) => void },
  ): () => void {
    const { path, requestSerialize, responseDeserialize } = this.#method(rpc);
    const call = this.#client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request);
    let over = false;
    let [began, taken] = [this.clock.monotonic(), 0];
    let pause: Timer | undefined;
    const end = (error?: CallError): void => {
      if (over) return;
      over = true;
      pause?.cancel();
      on.ended(error);
    };
    call.on("data", (message: object) => {
      if (over) return;
      const now = this.clock.monotonic();
      if (now - began >= SECOND) [began, taken] = [now, 0];
      if (++taken >= MOST_MESSAGES) {
        call.pause();
        pause = this.clock.schedule(SECOND - (now - began), () => call.resume());
      }
      on.data(message as Streams[S]);
    });
    call.on("error", (error: ServiceError) => end(new CallError(rpc, error.code, error.details)));
    call.on("end", () => end());
    return () => {
      over = true;
      pause?.cancel();
      call.cancel();
    };
  }

  /** A containerd task event out of its `Any`. */
  taskEvent(value: Buffer): { readonly containerId: string } {
    return this.#taskEvent.deserialize(value) as { containerId: string };
  }

  close(): void {
    this.#client.close();
    this.#execSync.close();
  }

  #method(rpc: string): Definition {
    const method = this.#methods.get(rpc);
    if (method === undefined) throw new Error(`proto/ has no call ${rpc}`);
    return method;
  }
}

/** grpc-js ends the text with a note that is empty for unix sockets. */
function withoutEmptyNote(details: string): string {
  return details.replace(/\.? Resolution note: *$/, "");
}
