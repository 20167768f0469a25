/**
 * Tokens of service accounts: requested once per pod and renewed in time (the kubelet's token manager, but by the token's age: with a clock an
 * hour behind the server's a kubelet renews a token long after its end, and with one ahead at every check).
 */

import { type Clock, errorText, namespacedName, type Pod } from "@hooklet/core";
import type { ObjectName, ObjectSource, ServiceAccountToken } from "@hooklet/core/subsystem";
import type { TokenRequestSpec } from "kubernetes-types/authentication/v1.js";

/** Its times count from its coming, in milliseconds. */
interface Cached extends Token {
  readonly podUid: string;
  readonly token: string;
  readonly came: { readonly now: number; readonly monotonic: number };
}

interface TokenPorts {
  readonly clock: Pick<Clock, "now" | "monotonic">;
  /** From 0 to 1: spreads the renewals of many pods. */
  readonly random: () => number;
  /** A renewal that failed while the old token is still good. */
  readonly failed: (key: string, error: unknown) => void;
}

export class Tokens {
  readonly #tokens = new Map<string, Cached>();

  constructor(private readonly ports: TokenPorts) {}

  /** Rejects where tokens are not available, and when no valid one exists. */
  async get(source: ObjectSource, pod: Pod, spec: TokenRequestSpec, signal: AbortSignal): Promise<string> {
    const { random, failed } = this.ports;
    const account: ObjectName = {
      namespace: pod.metadata.namespace,
      name: pod.spec.serviceAccountName || "default",
    };
    const key = JSON.stringify([account.namespace, account.name, spec]);
    const known = this.#tokens.get(key);
    if (known !== undefined && !needsRefresh(known, this.#age(known), random())) return known.token;
    try {
      if (source.createToken === undefined) throw new Error("there is no API server that issues tokens");
      const came = this.#times();
      const given = await source.createToken(account, spec, signal);
      const { token } = given;
      this.#tokens.set(key, { token, came, ...lifeOf(given, spec, came.now), podUid: pod.metadata.uid });
      return token;
    } catch (error) {
      if (known === undefined) throw new Error(`failed to fetch token: ${errorText(error)}`, { cause: error });
      if (expired(known, this.#age(known))) {
        throw new Error(`token ${namespacedName(account)} expired and refresh failed: ${errorText(error)}`, {
          cause: error,
        });
      }
      failed(namespacedName(account), error);
      return known.token;
    }
  }

  #times(): Cached["came"] {
    const { clock } = this.ports;
    return { now: clock.now(), monotonic: clock.monotonic() };
  }

  /** A wall clock that is set back makes nothing younger; the other clock stands still while a machine sleeps. */
  #age({ came }: Cached): number {
    const { now, monotonic } = this.#times();
    return Math.max(now - came.now, monotonic - came.monotonic);
  }

  /** Forgets those of a pod that is gone. */
  forget(podUid: string): void {
    for (const [key, token] of this.#tokens) if (token.podUid === podUid) this.#tokens.delete(key);
  }
}

function lifeOf(given: ServiceAccountToken, spec: TokenRequestSpec, now: number): Token {
  const { expirationSeconds, expirationTimestamp } = given;
  if (expirationSeconds !== undefined) return { expires: expirationSeconds * 1_000, seconds: expirationSeconds };
  return { expires: Date.parse(expirationTimestamp) - now, seconds: spec.expirationSeconds ?? 3600 };
}

// When a token is renewed: at 80 % of its life, at the latest after a day, up to ten seconds earlier.

interface Token {
  /** Milliseconds since the epoch, or since any other moment: `now` counts from the same. */
  readonly expires: number;
  /** Requested lifetime in seconds. */
  readonly seconds: number;
}

const DAY = 24 * 3600 * 1000;
const JITTER = 10;

/** @param random from 0 to 1 */
export function needsRefresh({ expires, seconds }: Token, now: number, random: number): boolean {
  const jitter = Math.floor(random * JITTER) * 1000;
  const issued = expires - seconds * 1000;
  const lastFifth = Math.floor((seconds * 20) / 100) * 1000;
  return now > issued + DAY - jitter || now > expires - lastFifth - jitter;
}

export function expired({ expires }: Token, now: number): boolean {
  return now > expires;
}
