/** Authentication by certificate or token, authorization by the API server (pkg/kubelet/server/auth.go). */

import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";
import type { NodeServerConfig } from "@hooklet/core/host";
import type { Reviews } from "@hooklet/core/subsystem";
import { type Clock, errorText, withDeadline } from "@hooklet/utils";
import type { Logger } from "pino";
import { anonymous, bearerToken, type User, userOfReview, userOfSubject } from "./user.js";

/** Milliseconds that a review may take. */
const DEADLINE = 10_000;

export interface GuardParts {
  readonly config: Pick<NodeServerConfig, "authentication" | "authorization">;
  readonly nodeName: string;
  readonly reviews: Reviews | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

type Verdict =
  | { readonly status: 200; readonly user: User }
  | { readonly status: 401 | 403 | 500; readonly text: string };

export class Guard {
  readonly #users: Answers<User | undefined>;
  readonly #rights: Answers<boolean>;

  constructor(private readonly parts: GuardParts) {
    this.#users = new Answers(parts.clock);
    this.#rights = new Answers(parts.clock);
  }

  /** Never rejects. */
  async check(request: IncomingMessage): Promise<Verdict> {
    let user: User | undefined;
    try {
      user = await this.#user(request);
    } catch (error) {
      this.parts.log.warn(`who asks the server could not be found out: ${errorText(error)}`);
    }
    if (user === undefined) return { status: 401, text: "Unauthorized" };
    const what = asked(request.method ?? "", pathOf(request.url ?? "/"));
    const text = `(user=${user.name}, verb=${what.verb}, resource=nodes`;
    try {
      if (await this.#mayDo(user, what)) return { status: 200, user };
    } catch (error) {
      this.parts.log.warn(`what ${user.name} may do could not be found out: ${errorText(error)}`);
      return { status: 500, text: `Authorization error ${text}, subresource=${what.subresources[0]})` };
    }
    return { status: 403, text: `Forbidden ${text}, subresource(s)=[${what.subresources.join(" ")}])\n` };
  }

  /** Aborts the call when it takes too long. */
  async #within<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const given = new AbortController();
    const late = (): Error => {
      const error = new Error(`the API server did not answer within ${DEADLINE / 1000} s`);
      given.abort(error);
      return error;
    };
    return withDeadline(this.parts.clock, DEADLINE, ask(given.signal), late);
  }

  async #user(request: IncomingMessage): Promise<User | undefined> {
    const { authentication } = this.parts.config;
    const { socket } = request;
    if (authentication.x509.clientCAFile !== undefined && socket instanceof TLSSocket && socket.authorized) {
      const found = userOfSubject(socket.getPeerCertificate().subject ?? {});
      if (found !== undefined) return found;
    }
    const token = bearerToken(request.headers.authorization);
    if (token !== undefined && authentication.webhook.enabled) return this.#reviewed(token);
    // Rejected credentials never fall back to anonymous access.
    const shown = request.headers.authorization !== undefined;
    return authentication.anonymous.enabled && !shown ? anonymous : undefined;
  }

  #reviewed(token: string): Promise<User | undefined> {
    const { reviews, config } = this.parts;
    if (reviews === undefined) return Promise.resolve(undefined);
    const ask = async (): Promise<User | undefined> => {
      const status = await this.#within((signal) => reviews.reviewToken({ token }, signal));
      return status.authenticated === true ? userOfReview(status.user ?? {}) : undefined;
    };
    const holds = config.authentication.webhook.cacheTTL * 1000;
    // Tokens are kept in memory only while they are checked.
    return this.#users.get(createHash("sha256").update(token).digest("hex"), ask, (user) =>
      user === undefined ? Math.min(holds, 10_000) : holds,
    );
  }

  async #mayDo(user: User, { verb, subresources }: Asked): Promise<boolean> {
    const { reviews, config, nodeName } = this.parts;
    if (config.authorization.mode === "AlwaysAllow") return true;
    if (reviews === undefined) throw new Error("no plugin asks an API server");
    const { cacheAuthorizedTTL, cacheUnauthorizedTTL } = config.authorization.webhook;
    for (const subresource of subresources) {
      const spec = {
        user: user.name,
        groups: [...user.groups],
        ...(user.uid !== undefined && { uid: user.uid }),
        extra: Object.fromEntries(Object.entries(user.extra).map(([key, values]) => [key, [...values]])),
        resourceAttributes: { verb, version: "v1", resource: "nodes", subresource, name: nodeName },
      };
      const ask = async (): Promise<boolean> => {
        const { allowed, denied } = await this.#within((signal) => reviews.reviewAccess(spec, signal));
        return allowed === true && denied !== true;
      };
      const holds = (allowed: boolean): number => (allowed ? cacheAuthorizedTTL : cacheUnauthorizedTTL) * 1000;
      if (await this.#rights.get(JSON.stringify(spec), ask, holds)) return true;
    }
    return false;
  }
}

// A cache of answers: one request at a time for each key, the oldest answer forgotten first.

const MAX = 4096;

export class Answers<T> {
  readonly #known = new Map<string, { readonly answer: Promise<T>; until: number }>();

  constructor(private readonly clock: Pick<Clock, "monotonic">) {}

  /** @param holds milliseconds for which an answer is valid. Failures are not cached. */
  async get(key: string, ask: () => Promise<T>, holds: (answer: T) => number): Promise<T> {
    const known = this.#known.get(key);
    if (known !== undefined && this.clock.monotonic() < known.until) return known.answer;
    const answer = ask();
    // While it is under way everybody waits for the same.
    const entry = { answer, until: Number.POSITIVE_INFINITY };
    this.#known.delete(key);
    this.#known.set(key, entry);
    for (const [oldest] of this.#known) {
      if (this.#known.size <= MAX) break;
      this.#known.delete(oldest);
    }
    try {
      const result = await answer;
      entry.until = this.clock.monotonic() + holds(result);
      return result;
    } catch (error) {
      if (this.#known.get(key) === entry) this.#known.delete(key);
      throw error;
    }
  }
}

// The authorization attributes of a request (the kubelet's GetRequestAttributes).

const VERBS: Readonly<Record<string, string>> = {
  POST: "create",
  GET: "get",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

const FINE: readonly (readonly [path: string, subresource: string])[] = [
  ["/pods", "pods"],
  ["/healthz", "healthz"],
  ["/configz", "configz"],
  ["/runningpods", "pods"],
];
const COARSE: readonly (readonly [path: string, subresource: string])[] = [
  ["/stats", "stats"],
  ["/metrics", "metrics"],
  ["/logs", "log"],
  ["/checkpoint", "checkpoint"],
  ["/statusz", "statusz"],
  ["/flagz", "configz"],
];

interface Asked {
  readonly verb: string;
  /** One of them is enough. */
  readonly subresources: readonly string[];
}

/** Path of a request's target. An absolute URL, as proxies send it, is equal to its path. */
export function pathOf(target: string): string {
  const path = target.replace(/^https?:\/\/[^/?]*/i, "").split("?", 1)[0];
  return path || "/";
}

export function asked(method: string, path: string): Asked {
  const found = (table: typeof FINE): readonly string[] =>
    table.filter(([prefix]) => path === prefix || path.startsWith(`${prefix}/`)).map(([, subresource]) => subresource);
  const coarse = found(COARSE);
  return {
    verb: VERBS[method] ?? "",
    subresources: [...found(FINE), ...(coarse.length > 0 ? coarse : ["proxy"])],
  };
}
