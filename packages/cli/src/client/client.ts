/** The agent's API over its control socket: what AgentApi offers in process, for the CLI and other programs. */
import type { Duplex } from "node:stream";
import type { Decision, Image, Json, NodeStatistics, ViewColumn, ViewRow } from "@hooklet/core";
import type { ApplyResult, NodeReport, PluginReport, PodName } from "@hooklet/core/host";
import type { Pod } from "@hooklet/manifest";
import type { PodChange } from "@hooklet/server/wire";
import { parseOutput } from "@hooklet/server/wire";
import type { Event } from "kubernetes-types/core/v1.js";
import type { ExecOptions, ExecSession, TakeOutput } from "./exec.js";
import { eventChanges, type LogFrame, logFrames, podChanges } from "./going-on.js";
import { type Patience, Transport } from "./transport.js";

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

/** Every method rejects with AgentAnswerError, or NodeAgentError AGENT_NOT_RUNNING when nobody answers. */
export class AgentClient {
  readonly #transport: Transport;

  /** @param patience for an agent that starts; left out: it is an error at once */
  constructor(
    readonly socket: string,
    patience?: Patience,
  ) {
    this.#transport = new Transport(socket, patience);
  }

  version(): Promise<{ readonly version: string; readonly nodeName: string }> {
    return this.#transport.json("/version");
  }

  async pods(): Promise<readonly Pod[]> {
    return (await this.#transport.json<Items<Pod>>("/pods")).items;
  }

  pod(name: PodName): Promise<Pod> {
    return this.#transport.json(podPath("pods", name));
  }

  /** All pods as ADDED, then what changes. */
  watchPods(signal?: AbortSignal): AsyncGenerator<PodChange> {
    const call = { query: { watch: true }, ...withSignal(signal) };
    const watch = (): Promise<AsyncGenerator<never>> => this.#transport.open("/pods", call) as Promise<never>;
    return podChanges({ watch, ...withSignal(signal) }, () => this.pods());
  }

  node(): Promise<NodeReport> {
    return this.#transport.json("/node");
  }

  /** Whether sources are read, the runtime is well and every plugin started. */
  async ready(): Promise<boolean> {
    return this.#transport.text("/readyz").then(
      () => true,
      () => false,
    );
  }

  /** CPU and memory of the node and its pods, at most ten seconds old. */
  statistics(): Promise<NodeStatistics> {
    return this.#transport.json("/stats/summary", { query: { only_cpu_and_memory: true } });
  }

  async plugins(): Promise<readonly PluginReport[]> {
    return (await this.#transport.json<Items<PluginReport>>("/plugins")).items;
  }

  async switchPlugin(name: string, active: boolean): Promise<void> {
    await this.#post("/plugins/switch", { name, active });
  }

  async views(): Promise<readonly { readonly name: string; readonly plugin: string; readonly description: string }[]> {
    return (await this.#transport.json<Items<never>>("/views")).items;
  }

  view(name: string): Promise<{ readonly columns: readonly ViewColumn[]; readonly rows: readonly ViewRow[] }> {
    return this.#transport.json("/view", { query: { name } });
  }

  async plan(
    plugin: string,
    manifest: string | undefined,
    rest: Readonly<Record<string, string>>,
  ): Promise<readonly Decision[]> {
    return (await this.#post<Items<Decision>>("/plan", { plugin, manifest, arguments: rest })).items;
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

  /** `where`: what messages call the manifest. */
  async apply(manifest: string, where: string): Promise<readonly ApplyResult[]> {
    const call = { method: "POST", body: manifest, contentType: "application/yaml", query: { where } } as const;
    return (await this.#transport.json<Items<ApplyResult>>("/apply", call)).items;
  }

  deletePod(name: PodName, gracePeriodSeconds?: number): Promise<Pod> {
    return this.#transport.json(podPath("pods", name), { method: "DELETE", query: { gracePeriodSeconds } });
  }

  async deleteObject(kind: string, { namespace = "default", name }: PodName): Promise<void> {
    const path = ["objects", kind, namespace, name].map(encodeURIComponent).join("/");
    await this.#transport.json(`/${path}`, { method: "DELETE" });
  }

  logs(name: PodName, query: LogQuery, signal?: AbortSignal): AsyncGenerator<LogFrame> {
    const transport = this.#transport;
    return logFrames(async function* (from) {
      const call = { query: { ...query, from }, ...withSignal(signal) };
      for await (const line of await transport.open(podPath("logs", name), call)) yield parseOutput(line);
    });
  }

  /** Runs a command in a container. */
  async exec(name: PodName, options: ExecOptions, output: TakeOutput): Promise<ExecSession> {
    const { startExec } = await import("./exec.js");
    return this.#transport.whenStarted(() => startExec(this.socket, podPath("exec", name), options, output));
  }

  /** Carries a local connection to a port inside a pod; resolves when it has ended. */
  async portForward(name: PodName, port: number, local: Duplex): Promise<void> {
    const [{ openChannels }, { usePort }] = await Promise.all([
      import("./channels.js"),
      import("@hooklet/server/channels"),
    ]);
    try {
      const path = `${podPath("port-forward", name)}?port=${port}`;
      await usePort(await this.#transport.whenStarted(() => openChannels(this.socket, path)), local);
    } finally {
      local.destroy();
    }
  }

  async images(): Promise<readonly Image[]> {
    return (await this.#transport.json<Items<Image>>("/images")).items;
  }

  /** `path`: absolute, of a tar file or a directory on the node. Returns the image's id. */
  async importImage(name: string, path: string): Promise<string> {
    return (await this.#post<{ readonly id: string }>("/images/import", { name, path })).id;
  }

  async removeImage(name: string): Promise<void> {
    await this.#transport.json("/images", { method: "DELETE", query: { name } });
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  #post<T>(path: string, body: unknown): Promise<T> {
    return this.#transport.json(path, { method: "POST", body: JSON.stringify(body), contentType: JSON_TYPE });
  }
}

function podPath(what: string, { name, namespace = "default" }: PodName): string {
  return `/${what}/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
}

function withSignal(signal: AbortSignal | undefined): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}
