/** The agent's API over its control socket: what AgentApi offers in process, for the CLI and other programs. Its calls are those of core's table. */

import type { Duplex } from "node:stream";
import type { Decision, Json } from "@hooklet/core";
import { type AgentCalls, type Call, type CallName, calls, type PodName } from "@hooklet/core/base";
import type { NodeStatistics } from "@hooklet/core/subsystem";
import type { Pod } from "@hooklet/manifest";
import type { PodChange } from "@hooklet/streams";
import { NDJSON, parseOutput } from "@hooklet/streams";
import { errorText } from "@hooklet/utils";
import type { Event } from "kubernetes-types/core/v1.js";
import type { ExecOptions, ExecSession, TakeOutput } from "./exec.js";
import { eventChanges, type LogFrame, logFrames, podChanges } from "./going-on.js";
import { type Patience, Transport, type TransportCall } from "./transport.js";

export interface LogQuery {
  readonly container?: string;
  readonly previous?: boolean;
  readonly follow?: boolean;
  readonly timestamps?: boolean;
  readonly tail?: number;
  readonly sinceSeconds?: number;
  /** RFC 3339. */
  readonly sinceTime?: string;
}

export interface EventQuery {
  /** KIND/NAME. */
  readonly for?: string;
  readonly namespace?: string;
}

interface Items<T> {
  readonly items: readonly T[];
}

const JSON_TYPE = "application/json";
const YAML_TYPE = "application/yaml";

/** The methods that are calls of core's table. */
const Calls = class {
  constructor(transport: Transport) {
    for (const [name, call] of Object.entries(calls) as [CallName, Call][]) {
      const ask = async (...given: readonly unknown[]): Promise<unknown> => {
        const answer = await transport.json<Items<unknown> | undefined>(...requestOf(call, given));
        return answer?.items ?? answer;
      };
      Object.defineProperty(this, name, { value: ask });
    }
  }
} as unknown as new (
  transport: Transport,
) => AgentCalls;

/** Every method rejects with AgentAnswerError, or NodeAgentError AGENT_NOT_RUNNING when no agent answers. */
export class AgentClient extends Calls {
  readonly #transport: Transport;
  readonly socket: string;

  /** @param patience for an agent that starts; left out: it is an error at once */
  constructor(socket: string, patience?: Patience) {
    const transport = new Transport(socket, patience);
    super(transport);
    this.#transport = transport;
    this.socket = socket;
  }

  version(): Promise<{ readonly version: string; readonly nodeName: string }> {
    return this.#transport.json("/version");
  }

  async pods(): Promise<readonly Pod[]> {
    return (await this.#transport.json<Items<Pod>>("/pods")).items;
  }

  /** All pods as ADDED, then what changes. */
  watchPods(signal?: AbortSignal): AsyncGenerator<PodChange> {
    const call = { query: { watch: true }, ...withSignal(signal) };
    const watch = (): Promise<AsyncGenerator<never>> => this.#transport.open("/pods", call) as Promise<never>;
    return podChanges({ watch, ...withSignal(signal) }, () => this.pods());
  }

  /** Undefined while sources are read, the runtime is well and every plugin started; else the parts that are not. */
  async unready(): Promise<string | undefined> {
    return this.#transport.text("/readyz").then(
      () => undefined,
      (error: unknown) => failingParts(errorText(error)),
    );
  }

  /** CPU and memory of the node and its pods, at most ten seconds old. */
  statistics(): Promise<NodeStatistics> {
    return this.#transport.json("/stats/summary", { query: { only_cpu_and_memory: true } });
  }

  async explain(kind: string, name: string): Promise<readonly Decision[]> {
    return (await this.#transport.json<Items<Decision>>("/explain", { query: { kind, name } })).items;
  }

  async events(query: EventQuery = {}): Promise<readonly Event[]> {
    return (await this.#transport.json<Items<Event>>("/events", { query: { ...query } })).items;
  }

  /** The events so far, then each new one. */
  watchEvents(query: EventQuery = {}, signal?: AbortSignal): AsyncGenerator<Event> {
    const call = { query: { ...query, watch: true }, ...withSignal(signal) };
    const watch = (): Promise<AsyncGenerator<never>> => this.#transport.open("/events", call) as Promise<never>;
    return eventChanges({ watch, ...withSignal(signal) });
  }

  configz(): Promise<Json> {
    return this.#transport.json("/configz");
  }

  logs(name: PodName, { container, tail, ...query }: LogQuery, signal?: AbortSignal): AsyncGenerator<LogFrame> {
    const inside = () => this.#inside("containerLogs", name, container);
    const transport = this.#transport;
    return logFrames(async function* (from) {
      const call = { query: { ...query, tailLines: tail, from }, accept: NDJSON, ...withSignal(signal) };
      for await (const line of await transport.open(await inside(), call)) yield parseOutput(line);
    });
  }

  /** Runs a command in a container. */
  async exec(name: PodName, { container, ...options }: ExecOptions, output: TakeOutput): Promise<ExecSession> {
    const [{ startExec }, path] = await Promise.all([import("./exec.js"), this.#inside("exec", name, container)]);
    return this.#transport.whenStarted(() => startExec(this.socket, path, options, output));
  }

  /** Carries a local connection to a port inside a pod; resolves when it has ended. */
  async portForward(name: PodName, port: number, local: Duplex): Promise<void> {
    const { forwardPort } = await import("./exec.js");
    try {
      const path = `${podPath("portForward", name)}?port=${port}`;
      await this.#transport.whenStarted(() => forwardPort(this.socket, path, local));
    } finally {
      local.destroy();
    }
  }

  /** The path of what happens in a container: the one that is named, else the first one. */
  async #inside(what: string, name: PodName, container: string | undefined): Promise<string> {
    const inside = container ?? (await this.pod(name)).spec.containers[0]?.name ?? "";
    return `${podPath(what, name)}/${encodeURIComponent(inside)}`;
  }

  close(): Promise<void> {
    return this.#transport.close();
  }
}

/** Path and call of a request with these arguments. */
function requestOf(
  { method, path, takes, text }: Call,
  given: readonly unknown[],
): [path: string, call: TransportCall] {
  const named = takes.map((taken, at) => (typeof taken === "string" ? { [taken]: given[at] } : given[at]));
  const fields: Record<string, unknown> = Object.assign({}, ...named);
  const take = (name: string): unknown => {
    const { [name]: value } = fields;
    delete fields[name];
    return value;
  };
  // What may be left out of a path is the namespace.
  const way = path.replace(/:(\w+)/g, (_, step: string) => encodeURIComponent(String(take(step) ?? "default")));
  const body = text === undefined ? undefined : String(take(text));
  if (body === undefined && method === "POST")
    return [way, { method, body: JSON.stringify(fields), contentType: JSON_TYPE }];
  const query = fields as NonNullable<TransportCall["query"]>;
  return [way, { method, query, ...(body !== undefined && { body, contentType: YAML_TYPE }) }];
}

function podPath(what: string, { name, namespace = "default" }: PodName): string {
  return `/${what}/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
}

function withSignal(signal: AbortSignal | undefined): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

/** Of the text of a check of health: `runtime cri: container runtime is down`. */
export function failingParts(text: string): string {
  const parts = [...text.matchAll(/\[-\](.+?) failed: (.*)/g)].map(([, name, why]) => `${name}: ${why}`);
  return parts.length === 0 ? text : parts.join("; ");
}
