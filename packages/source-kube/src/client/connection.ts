/** HTTP to one API server: undici with the kubeconfig's TLS, opened again when credentials change or answers do not come. */
import { type Clock, errorText, withDeadline } from "@hooklet/core";
import type { Agent, Dispatcher } from "undici";
import { ApiError, answerError, isApiError, UNREACHABLE } from "./api-error.js";
import type { CredentialFiles, Credentials } from "./credentials.js";

export interface Ask {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With its query, from the slash on. */
  readonly path: string;
  readonly body?: string;
  readonly contentType?: string;
  /** Default `application/json`. */
  readonly accept?: string;
  readonly signal?: AbortSignal | undefined;
}

export interface ConnectionOptions {
  readonly credentials: Pick<CredentialFiles, "current" | "doubt" | "watch">;
  readonly clock: Clock;
  readonly userAgent: string;
  /** Concurrent sockets; undefined: unlimited. */
  readonly sockets?: number | undefined;
  /** Called for each answer: its status, or 0, and milliseconds until its head came. */
  readonly answered?: ((ask: Ask, status: number, milliseconds: number) => void) | undefined;
}

/** What a list may take at most, bytes: the pods of a large node are a few MiB. */
export const MAX_BODY = 64 * 1024 * 1024;
const RENEWED = new Error("the connection is renewed");

/** What a request has been sent with; undefined until it is. */
interface Sent {
  agent?: Agent;
}

export class Connection {
  #agent: Agent | undefined;
  #identity = "";
  #closed = false;
  /** Streams that are read: each ends, as a server ends it, when the connection is renewed. */
  readonly #streams = new Set<AbortController>();

  constructor(private readonly options: ConnectionOptions) {
    // New credentials apply to every connection.
    options.credentials.watch(() => this.renew());
  }

  /** The whole answer's text. Rejects with ApiError, of status 0 where none came within the milliseconds. */
  async ask(ask: Ask, milliseconds: number): Promise<string> {
    return this.#within(ask, milliseconds, async (signal, sent) => {
      const { body } = await this.#request(ask, signal, sent);
      return readBounded(body, MAX_BODY);
    });
  }

  /**
   * The response, chunk by chunk; its head has come within the milliseconds. Rejects with ApiError.
   * Ends with the signal: a caller that does not read it to its end must abort the signal.
   */
  async stream(ask: Ask & { readonly signal: AbortSignal }, milliseconds: number): Promise<AsyncIterable<Buffer>> {
    const given = new AbortController();
    const signal = AbortSignal.any([ask.signal, given.signal]);
    const late = (): Error => {
      const error = this.#late(ask, milliseconds);
      given.abort(error);
      return error;
    };
    const { body } = await withDeadline(this.options.clock, milliseconds, this.#request(ask, signal), late);
    return this.#untilRenewed(body, given);
  }

  /** Drops open connections: requests complete, streams end now, and the next request connects again. */
  renew(): void {
    const agent = this.#agent;
    this.#agent = undefined;
    agent?.close().catch(() => undefined);
    for (const stream of this.#streams) stream.abort(RENEWED);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#agent?.destroy();
  }

  async #within<T>(ask: Ask, milliseconds: number, work: (signal: AbortSignal, sent: Sent) => Promise<T>): Promise<T> {
    const sent: Sent = {};
    const given = new AbortController();
    const signal = ask.signal === undefined ? given.signal : AbortSignal.any([ask.signal, given.signal]);
    const late = (): Error => {
      // Whatever else stands open to a server that is silent is as dead; of what was made since, this silence says nothing.
      if (sent.agent === this.#agent) this.renew();
      const error = this.#late(ask, milliseconds);
      given.abort(error);
      return error;
    };
    return withDeadline(this.options.clock, milliseconds, work(signal, sent), late);
  }

  #late(ask: Ask, milliseconds: number): ApiError {
    this.options.answered?.(ask, UNREACHABLE, milliseconds);
    return noAnswer(ask, milliseconds);
  }

  #untilRenewed(body: AsyncIterable<Buffer>, given: AbortController): AsyncGenerator<Buffer> {
    const streams = this.#streams.add(given);
    return (async function* () {
      try {
        yield* body;
      } catch (error) {
        if (given.signal.reason !== RENEWED) throw error;
      } finally {
        streams.delete(given);
      }
    })();
  }

  /** Retries once after a 401 when the files have changed: a renewed token or certificate. */
  async #request(ask: Ask, signal: AbortSignal, sent: Sent = {}): Promise<Dispatcher.ResponseData> {
    const { credentials } = this.options;
    const current = await this.#credentials();
    try {
      return await this.#send(ask, signal, current, sent);
    } catch (error) {
      if (!isApiError(error, 401) || signal.aborted) throw error;
      credentials.doubt();
      const fresh = await this.#credentials();
      if (fresh.identity === current.identity && fresh.token === current.token) throw error;
      return this.#send(ask, signal, fresh, sent);
    }
  }

  async #credentials(): Promise<Credentials> {
    try {
      return await this.options.credentials.current();
    } catch (cause) {
      throw new ApiError(UNREACHABLE, "NoCredentials", errorText(cause), undefined, { cause });
    }
  }

  async #send(ask: Ask, signal: AbortSignal, current: Credentials, sent: Sent): Promise<Dispatcher.ResponseData> {
    const { clock, answered } = this.options;
    const began = clock.monotonic();
    let answer: Dispatcher.ResponseData;
    try {
      const { request } = await import("undici");
      sent.agent = await this.#dispatcher(current);
      answer = await request(`${current.server}${ask.path}`, {
        method: ask.method,
        dispatcher: sent.agent,
        signal,
        headers: this.#headers(ask, current),
        body: ask.body ?? null,
      });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      answered?.(ask, UNREACHABLE, clock.monotonic() - began);
      const text = `${what(ask)} had no answer: ${errorText(error)}`;
      throw new ApiError(UNREACHABLE, "Unreachable", text, undefined, { cause: error });
    }
    answered?.(ask, answer.statusCode, clock.monotonic() - began);
    if (answer.statusCode >= 200 && answer.statusCode < 300) return answer;
    const after = answer.headers["retry-after"];
    const text = await readBounded(answer.body, MAX_BODY);
    throw answerError(what(ask), answer.statusCode, text, typeof after === "string" ? after : undefined);
  }

  #headers(
    { body, contentType = "application/json", accept = "application/json" }: Ask,
    { token }: Credentials,
  ): Record<string, string> {
    return {
      accept,
      "user-agent": this.options.userAgent,
      ...(body !== undefined && { "content-type": contentType }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
  }

  async #dispatcher(current: Credentials): Promise<Agent> {
    if (this.#closed) throw new Error("the connection is closed");
    if (this.#agent !== undefined && this.#identity === current.identity) return this.#agent;
    const { Agent } = await import("undici");
    if (this.#identity !== current.identity) this.renew();
    const { ca, cert, key, servername, rejectUnauthorized, identity } = current;
    this.#identity = identity;
    this.#agent ??= new Agent({
      connect: {
        rejectUnauthorized,
        ...(ca !== undefined && { ca }),
        ...(cert !== undefined && { cert }),
        ...(key !== undefined && { key }),
        ...(servername !== undefined && { servername }),
      },
      connections: this.options.sockets ?? null,
      keepAliveTimeout: 30_000,
      maxHeaderSize: 64 * 1024,
      // Deadlines are the callers' own: those of a watch are minutes.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    return this.#agent;
  }
}

async function readBounded(body: AsyncIterable<Buffer>, most: number): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of body) {
    length += part.length;
    if (length > most) throw new ApiError(UNREACHABLE, "TooLong", `an answer is longer than ${most} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

function noAnswer(ask: Ask, milliseconds: number): ApiError {
  const text = `${what(ask)} had no answer: expected within ${Math.round(milliseconds) / 1_000} s`;
  return new ApiError(UNREACHABLE, "Timeout", text);
}

/** Without its query: that may be long, and changes each time. */
function what({ method, path }: Ask): string {
  return `${method} ${path.split("?")[0]}`;
}
