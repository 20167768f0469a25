/** All gRPC of the plugin: clients and servers on unix sockets. */
import type { Socket } from "node:net";
import {
  ChannelCredentials,
  Client,
  type ClientReadableStream,
  connectivityState,
  Metadata,
  Server,
  ServerCredentials,
  type ServiceDefinition,
  type ServiceError,
  status,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { type Clock, errorText } from "@hooklet/core";
import { definitions } from "./definitions.js";

/** A service of proto/, as in `v1beta1.DevicePlugin`. */
export const service = (name: string): ServiceDefinition => definitions()[name] as ServiceDefinition;

/** Bytes of the largest message taken: a kubelet takes 4 MiB; this is room for the 100 000 devices of one resource. */
const LARGEST_MESSAGE = 16 * 1024 * 1024;

/** What a call failed with, in Go's words: plugins' authors and the kubelet's users know them. */
export class CallError extends Error {
  override readonly name = "CallError";

  constructor(
    readonly code: number,
    readonly details: string,
  ) {
    super(`rpc error: code = ${codeName(code)} desc = ${details}`);
  }
}

const CLOSED = "the client was closed before it was connected";

/**
 * No credentials, for a client that may be closed. When it is closed between two tries to connect, the library tries once more after its
 * back-off: a later server on that socket would get an unused connection. The library asks for credentials before each try.
 */
class UntilClosed extends ChannelCredentials {
  readonly #none = ChannelCredentials.createInsecure();

  constructor(private readonly isClosed: () => boolean) {
    super();
  }

  override _isSecure(): boolean {
    return false;
  }

  override _equals(other: ChannelCredentials): boolean {
    return other === this;
  }

  override _createSecureConnector(
    ...parts: Parameters<ChannelCredentials["_createSecureConnector"]>
  ): ReturnType<ChannelCredentials["_createSecureConnector"]> {
    const connector = this.#none._createSecureConnector(...parts);
    const waitForReady = async (): Promise<void> => {
      if (this.isClosed()) throw new Error(CLOSED);
      await connector.waitForReady();
    };
    return { ...connector, waitForReady };
  }
}

/** One client of one socket. It connects at once and does not come back once it is closed. */
export class GrpcClient {
  readonly #client: Client;
  #isClosed = false;

  constructor(
    path: string,
    private readonly clock: Clock,
  ) {
    this.#client = new Client(`unix:${path}`, new UntilClosed(() => this.#isClosed), {
      "grpc.max_receive_message_length": LARGEST_MESSAGE,
      "grpc.max_send_message_length": LARGEST_MESSAGE,
      // A connection of its own: plugins that share a socket do not close it for each other.
      "grpc.use_local_subchannel_pool": 1,
      // Paths of unix sockets are no host names.
      "grpc.default_authority": "localhost",
      "grpc.initial_reconnect_backoff_ms": 100,
      "grpc.max_reconnect_backoff_ms": 1000,
      "grpc.enable_http_proxy": 0,
      "grpc.service_config_disable_resolution": 1,
      "grpc.enable_retries": 0,
      "grpc.enable_channelz": 0,
    });
  }

  /** Resolves once it is connected, however long that takes. Rejects when it is closed meanwhile. */
  ready(): Promise<void> {
    const channel = this.#client.getChannel();
    return new Promise((resolve, reject) => {
      // Not waitForReady: it reads the state of a channel that was closed meanwhile in a way that makes it connect again, forever.
      const check = (): void => {
        if (this.#isClosed) {
          reject(new Error(CLOSED));
          return;
        }
        const state = channel.getConnectivityState(true);
        if (state === connectivityState.READY) resolve();
        else channel.watchConnectivityState(state, Number.POSITIVE_INFINITY, check);
      };
      check();
    });
  }

  /** @param timeout milliseconds. Rejects with CallError. */
  call(service: ServiceDefinition, rpc: string, request: object, timeout: number): Promise<object> {
    const { path, requestSerialize, responseDeserialize } = methodOf(service, rpc);
    const options = { deadline: this.clock.now() + timeout };
    return new Promise((resolve, reject) => {
      this.#client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        new Metadata(),
        options,
        (error: ServiceError | null, answer?: object) => {
          if (error !== null) reject(callError(error));
          else resolve(answer ?? {});
        },
      );
    });
  }

  /** Calls back with each message until the stream ends; `ended` comes once. Returns what cancels it. */
  stream(
    service: ServiceDefinition,
    rpc: string,
    request: object,
    on: { readonly data: (message: object) => void; readonly ended: (error: Error | undefined) => void },
  ): () => void {
    const { path, requestSerialize, responseDeserialize } = methodOf(service, rpc);
    const call: ClientReadableStream<object> = this.#client.makeServerStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      request,
    );
    let over = false;
    const end = (error?: Error): void => {
      if (over) return;
      over = true;
      on.ended(error);
    };
    call.on("data", (message: object) => {
      if (!over) on.data(message);
    });
    call.on("error", (error: ServiceError) => end(callError(error)));
    call.on("end", () => end());
    return () => {
      over = true;
      call.cancel();
    };
  }

  close(): void {
    this.#isClosed = true;
    this.#client.close();
  }
}

/** What a service does: rejects with a CallError, or with any error, which the caller sees as code Unknown. */
export type Handlers = Readonly<Record<string, (request: object) => Promise<object>>>;

export class GrpcServer {
  readonly #server = new Server({
    "grpc.max_receive_message_length": LARGEST_MESSAGE,
    "grpc.max_send_message_length": LARGEST_MESSAGE,
    "grpc.enable_channelz": 0,
  });
  readonly #injector = this.#server.createConnectionInjector(ServerCredentials.createInsecure());

  add(service: ServiceDefinition, handlers: Handlers): void {
    const implementation: UntypedServiceImplementation = Object.fromEntries(
      Object.entries(handlers).map(([rpc, handle]) => [
        rpc,
        (call: { readonly request: object }, done: (error: Partial<ServiceError> | null, answer?: object) => void) => {
          handle(call.request).then(
            (answer) => done(null, answer),
            (error: unknown) => {
              if (error instanceof CallError) done({ code: error.code, details: error.details });
              else done({ code: status.UNKNOWN, details: errorText(error) });
            },
          );
        },
      ]),
    );
    this.#server.addService(service, implementation);
  }

  /** A connection that another server has accepted. */
  take(connection: Socket): void {
    this.#injector.injectConnection(connection);
  }

  /** Ends all calls and connections at once. */
  stop(): void {
    this.#server.forceShutdown();
  }
}

export const Code = status;

function methodOf(service: ServiceDefinition, rpc: string): ServiceDefinition[string] {
  const method = service[rpc];
  if (method === undefined) throw new Error(`the service has no call ${rpc}`);
  return method;
}

function callError({ code, details }: ServiceError): CallError {
  // What went by is counted in another way there.
  return new CallError(code, code === status.DEADLINE_EXCEEDED ? "context deadline exceeded" : details);
}

/** `NOT_FOUND` is `NotFound` in Go. */
function codeName(code: number): string {
  const name = status[code];
  if (name === undefined) return `Code(${code})`;
  return name.toLowerCase().replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
