/** postStart and preStop handlers: exec, httpGet and sleep (the kubelet's lifecycle handler runner). */

import type { Runtime } from "@hooklet/cri-api";
import type { Container, Pod } from "@hooklet/manifest";
import { boundedSeconds, type Clock, sleep, unlessAborted } from "@hooklet/utils";
import type { LifecycleHandler } from "kubernetes-types/core/v1.js";
import type { Agent } from "undici";

export interface HandlerTarget {
  readonly pod: Pod;
  readonly container: Container;
  readonly containerId: string;
  readonly podIp: string;
}

/** An HTTP GET that may answer with any certificate; rejects on no answer. */
export type HttpGet = (request: {
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly signal: AbortSignal;
}) => Promise<{ readonly statusCode: number }>;

export class HandlerRunner {
  constructor(
    private readonly ports: {
      readonly clock: Clock;
      readonly runtime: Pick<Runtime, "execSync">;
      readonly httpGet: HttpGet;
      /** A sleep was given up before its time. */
      readonly sleepTerminatedEarly: () => void;
    },
  ) {}

  /**
   * Rejects with the kubelet's message, or with the signal's reason. `timeoutSeconds` 0 = none. An exec
   * that is abandoned ends with its container.
   */
  async run(
    handler: LifecycleHandler,
    target: HandlerTarget,
    timeoutSeconds: number,
    signal: AbortSignal,
  ): Promise<void> {
    if (handler.exec !== undefined) {
      return unlessAborted(signal, this.#exec(handler.exec.command ?? [], target, timeoutSeconds));
    }
    if (handler.httpGet !== undefined) return this.#httpGet(handler.httpGet, target, signal);
    if (handler.sleep !== undefined) return this.#sleep(handler.sleep.seconds, signal);
    throw new Error(`invalid handler: ${JSON.stringify(handler)}`);
  }

  async #sleep(seconds: number, signal: AbortSignal): Promise<void> {
    try {
      await sleep(this.ports.clock, boundedSeconds(seconds) * 1000, signal);
    } catch (error) {
      this.ports.sleepTerminatedEarly();
      throw error;
    }
  }

  async #exec(command: readonly string[], target: HandlerTarget, timeoutSeconds: number): Promise<void> {
    const { container, containerId, pod } = target;
    const result = await this.ports.runtime.execSync(containerId, command, timeoutSeconds);
    if (result.exitCode === 0) return;
    const output = Buffer.concat([result.stdout, result.stderr]).toString("utf8").slice(0, 1024);
    throw new Error(
      `Exec lifecycle hook for Container "${container.name}" in Pod ` +
        `"${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})" failed - error: ` +
        `it exited with ${result.exitCode}, message: ${JSON.stringify(output)}`,
    );
  }

  async #httpGet(
    action: NonNullable<LifecycleHandler["httpGet"]>,
    target: HandlerTarget,
    signal: AbortSignal,
  ): Promise<void> {
    const scheme = (action.scheme ?? "HTTP").toLowerCase();
    const host = action.host !== undefined && action.host !== "" ? action.host : target.podIp;
    if (host === "") throw new Error("failed to find networking container: the pod has no address yet");
    const authority = host.includes(":") ? `[${host}]` : host;
    const given = action.path ?? "/";
    const url = `${scheme}://${authority}:${portOf(action.port, target.container)}${given.startsWith("/") ? given : `/${given}`}`;
    const headers = (action.httpHeaders ?? []).map(({ name, value }) => [name, value] as const);
    const { statusCode } = await this.ports.httpGet({ url, headers, signal });
    if (statusCode >= 400)
      throw new Error(`HTTP lifecycle hook failed: ${url.split("?", 1)[0]} answered with status ${statusCode}`);
  }
}

/** A port by number or by the name that the container gives it. */
export function portOf(port: number | string, container: Container): number {
  const number = Number(port);
  if (Number.isInteger(number) && number > 0 && number < 65_536) return number;
  const named = (container.ports ?? []).find(({ name }) => name === port);
  if (named === undefined)
    throw new Error(`couldn't find port: ${JSON.stringify(port)} in container ${container.name}`);
  return named.containerPort;
}

/**
 * HTTP GET for lifecycle hooks: any certificate, as in the kubelet, no proxy, no redirects kept open, nothing read but the status.
 */
export function createHttpGet(): { readonly get: HttpGet; close(): Promise<void> } {
  let agent: Agent | undefined;
  return {
    async get({ url, headers, signal }) {
      // Few agents ever need the library's few MiB.
      const { Agent, request } = await import("undici");
      agent ??= new Agent({ connect: { rejectUnauthorized: false }, keepAliveTimeout: 1, pipelining: 0 });
      const response = await request(url, {
        dispatcher: agent,
        headers: headers.flat(),
        signal,
      });
      await response.body.dump();
      return { statusCode: response.statusCode };
    },
    close: async () => agent?.close(),
  };
}
