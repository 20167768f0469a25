/** HTTP over the agent's unix socket. */
import type { Json } from "@hooklet/core";
import type { ErrorBody } from "@hooklet/streams";
import { decodeLines } from "@hooklet/streams";
import {
  agentNotRunning,
  type Clock,
  isNodeAgentError,
  NodeAgentError,
  type NodeAgentErrorCode,
  sleep,
} from "@hooklet/utils";
import type { Agent, Dispatcher } from "undici";

/** An answer that is not 2xx. */
export class AgentAnswerError extends NodeAgentError {
  override readonly name = "AgentAnswerError";

  constructor(
    message: string,
    readonly status: number,
    /** As the agent gave it: also codes of runtimes and of the server itself. */
    readonly answerCode: string,
  ) {
    super(status === 404 ? "NOT_FOUND" : ("INVALID" satisfies NodeAgentErrorCode), message);
  }
}

export interface TransportCall {
  readonly method?: Dispatcher.HttpMethod;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: string;
  readonly contentType?: string;
  /** Of the answer. */
  readonly accept?: string;
  readonly signal?: AbortSignal;
}

/** For an agent that says that it is starting, or is about to. */
export interface Patience {
  readonly clock: Clock;
  /** Called once, when it is to be waited for. */
  readonly waits?: () => void;
  /** Asked while no agent listens: whether one is starting. Left out: an error at once. */
  readonly isAboutToListen?: () => Promise<boolean>;
}

const STARTING = "AGENT_STARTING";

/** How long an agent that starts is waited for, and how often it is asked meanwhile, milliseconds. */
const START_PATIENCE = 30_000;
const ASK_AGAIN = 250;

/** Lines of a watch may hold a whole pod. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

export class Transport {
  #dispatcher: Agent | undefined;

  /** Without patience an agent that starts is an error at once. */
  constructor(
    readonly socket: string,
    private readonly patience?: Patience,
  ) {}

  /** @throws AgentAnswerError, or NodeAgentError AGENT_NOT_RUNNING when no agent answers */
  async json<T>(path: string, call: TransportCall = {}): Promise<T> {
    const { statusCode, body } = await this.#send(path, call);
    if (statusCode === 204) {
      await body.dump();
      return undefined as T;
    }
    return (await body.json()) as T;
  }

  async text(path: string, call: TransportCall = {}): Promise<string> {
    return (await this.#send(path, call)).body.text();
  }

  /** Resolves once the answer has begun: its values, until it ends, the signal aborts or the loop is left. */
  async open(path: string, call: TransportCall = {}): Promise<AsyncGenerator<Json>> {
    try {
      return this.#lines((await this.#send(path, call)).body, call);
    } catch (error) {
      if (call.signal?.aborted) return nothing();
      throw error;
    }
  }

  async *#lines(body: Dispatcher.ResponseData["body"], call: TransportCall): AsyncGenerator<Json> {
    try {
      yield* decodeLines(body, MAX_LINE_BYTES);
    } catch (error) {
      if (call.signal?.aborted) return;
      throw lostConnection(error) ? agentNotRunning(this.socket, "the connection broke off", error) : error;
    }
  }

  async close(): Promise<void> {
    await this.#dispatcher?.destroy();
  }

  async #send(path: string, call: TransportCall): Promise<Dispatcher.ResponseData> {
    return this.whenStarted(async () => {
      const response = await this.#request(path, call);
      // What the agent before left.
      if (response.headers.warning !== undefined) {
        await response.body.dump();
        throw new AgentAnswerError("The agent is starting. Ask again in a moment.", 503, STARTING);
      }
      if (response.statusCode < 400) return response;
      throw answerError(response.statusCode, await response.body.text());
    });
  }

  /** Does it once more while the agent starts, by its own answer or by what is known of it: nothing of it was done then. */
  async whenStarted<T>(work: () => Promise<T>): Promise<T> {
    const { patience } = this;
    if (patience === undefined) return work();
    const { clock, waits, isAboutToListen } = patience;
    const end = clock.monotonic() + START_PATIENCE;
    for (let tries = 0; ; tries += 1) {
      try {
        return await work();
      } catch (error) {
        const isThere = isStarting(error) || (isRefused(error) && (await isAboutToListen?.()) === true);
        if (!isThere || clock.monotonic() >= end) throw error;
      }
      if (tries === 0) waits?.();
      await sleep(clock, ASK_AGAIN);
    }
  }

  async #request(path: string, call: TransportCall): Promise<Dispatcher.ResponseData> {
    const url = new URL(path, "http://localhost");
    for (const [name, value] of Object.entries(call.query ?? {})) {
      if (value !== undefined && value !== false) url.searchParams.set(name, String(value));
    }
    // Loaded here, for an agent that imports this package makes no calls.
    const { Agent, request } = await import("undici");
    // No timeouts: a follow is silent for hours, a deletion with --wait too; the kernel tells when the agent dies.
    this.#dispatcher ??= new Agent({ connect: { socketPath: this.socket }, headersTimeout: 0, bodyTimeout: 0 });
    try {
      return await request(url, {
        dispatcher: this.#dispatcher,
        method: call.method ?? "GET",
        ...(call.body === undefined ? {} : { body: call.body }),
        headers: {
          ...(call.contentType !== undefined && { "content-type": call.contentType }),
          ...(call.accept !== undefined && { accept: call.accept }),
        },
        ...(call.signal === undefined ? {} : { signal: call.signal }),
      });
    } catch (error) {
      throw notReached(this.socket, error) ?? error;
    }
  }
}

async function* nothing(): AsyncGenerator<never> {}

export function isStarting(error: unknown): boolean {
  return error instanceof AgentAnswerError && error.answerCode === STARTING;
}

/** The request has not reached an agent. */
function isRefused(error: unknown): boolean {
  if (!isNodeAgentError(error, "AGENT_NOT_RUNNING")) return false;
  return ["ENOENT", "ENOTDIR", "ECONNREFUSED"].includes(errorCode(error.cause) ?? "");
}

/** The meaning of an error of the connection, if it means that no agent answers. */
export function notReached(socket: string, error: unknown): NodeAgentError | undefined {
  const reason = unreachable(error);
  return reason === undefined ? undefined : agentNotRunning(socket, reason, error);
}

export function answerError(status: number, text: string): AgentAnswerError {
  try {
    const { error, code } = JSON.parse(text) as ErrorBody;
    // Agents of earlier versions have other routes, and do not say which version they are.
    const isOther = code === "NO_ROUTE" && !/hooklet|control socket/.test(error);
    const hint = isOther ? ' The agent is of another version: "hooklet version -o json" shows both.' : "";
    return new AgentAnswerError(`${error}${hint}`, status, code);
  } catch {
    return new AgentAnswerError(`The agent answered with status ${status}: ${text.slice(0, 500)}`, status, "");
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such socket",
  ENOTDIR: "there is no such socket",
  ECONNREFUSED: "no process listens on it",
  EACCES: "permission denied; run as the agent's user",
  EPERM: "permission denied; run as the agent's user",
  ENOTSOCK: "it is not a socket",
  EINVAL: "it is not a path of a socket",
};

function unreachable(error: unknown): string | undefined {
  const code = errorCode(error);
  return code === undefined
    ? undefined
    : (reasons[code] ?? (lostConnection(error) ? "the connection broke off" : undefined));
}

function lostConnection(error: unknown): boolean {
  return ["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"].includes(errorCode(error) ?? "");
}

function errorCode(error: unknown): string | undefined {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}
