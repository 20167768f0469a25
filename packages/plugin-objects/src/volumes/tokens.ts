/** Tokens of service accounts: asked for once a pod and renewed in time (the kubelet's token manager). */
import { type Clock, errorText, namespacedName, type ObjectName, type ObjectSource, type Pod } from "@hooklet/core";
import type { TokenRequestSpec } from "kubernetes-types/authentication/v1.js";
import { expired, needsRefresh, type Token } from "./token-times.js";

interface Cached extends Token {
  readonly podUid: string;
  readonly token: string;
}

export interface TokenPorts {
  readonly clock: Pick<Clock, "now">;
  /** From 0 to 1: spreads the renewals of many pods. */
  readonly random: () => number;
  /** A renewal that failed while the old token is still good. */
  readonly failed: (key: string, error: unknown) => void;
}

export class Tokens {
  readonly #tokens = new Map<string, Cached>();

  constructor(private readonly ports: TokenPorts) {}

  /** Rejects where nobody issues tokens, and when there is none that is good. */
  async get(source: ObjectSource, pod: Pod, spec: TokenRequestSpec, signal: AbortSignal): Promise<string> {
    const { clock, random, failed } = this.ports;
    const account: ObjectName = {
      namespace: pod.metadata.namespace,
      name: pod.spec.serviceAccountName || "default",
    };
    const key = JSON.stringify([account.namespace, account.name, spec]);
    const known = this.#tokens.get(key);
    if (known !== undefined && !needsRefresh(known, clock.now(), random())) return known.token;
    try {
      if (source.createToken === undefined) throw new Error("there is no API server that issues tokens");
      const { token, expirationTimestamp } = await source.createToken(account, spec, signal);
      const expires = Date.parse(expirationTimestamp);
      this.#tokens.set(key, { token, expires, seconds: spec.expirationSeconds ?? 3600, podUid: pod.metadata.uid });
      return token;
    } catch (error) {
      if (known === undefined) throw new Error(`failed to fetch token: ${errorText(error)}`, { cause: error });
      if (expired(known, clock.now())) {
        throw new Error(`token ${namespacedName(account)} expired and refresh failed: ${errorText(error)}`, {
          cause: error,
        });
      }
      failed(namespacedName(account), error);
      return known.token;
    }
  }

  /** Forgets those of a pod that is gone. */
  forget(podUid: string): void {
    for (const [key, token] of this.#tokens) if (token.podUid === podUid) this.#tokens.delete(key);
  }
}
