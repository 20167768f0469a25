/** An AgentApi in memory for tests of server, client and CLI. */
import type { Duplex } from "node:stream";
import type { Decision, Image, ViewColumn, ViewRow } from "@hooklet/core";
import type { NodeReport } from "@hooklet/core/base";
import {
  type AgentApi,
  type Change,
  type HealthReport,
  type InteractiveExec,
  type LogFile,
  RuntimeError,
} from "@hooklet/core/host";
import type { ApiObject, Pod } from "@hooklet/manifest";
import { notFound } from "@hooklet/utils";
import type { Event } from "kubernetes-types/core/v1.js";
import { NOW } from "./samples.js";
import type { ExecScript } from "./scripted-exec.js";

export class FakeAgent implements AgentApi {
  readonly version = "1.2.3";
  readonly nodeName = "node1";
  reviews: AgentApi["reviews"] = undefined;
  servingCertificate: AgentApi["servingCertificate"] = undefined;
  list: Pod[] = [];
  recorded: Event[] = [];
  decisions: Decision[] = [];
  imageList: Image[] = [];
  calls: unknown[] = [];
  healthReport: HealthReport = { ok: true, parts: [{ name: "runtime", ok: true }] };
  logFile: LogFile | undefined;
  /** By POD/CONTAINER, in place of the one above. */
  logFiles: Record<string, LogFile> = {};
  execScript: ExecScript | undefined;
  ports: Record<number, () => Duplex> = {};
  tables: Record<string, { columns: ViewColumn[]; rows: ViewRow[] }> = {};
  #eventListeners = new Set<(event: Event) => void>();
  #podListeners = new Set<() => void>();

  get listeners(): number {
    return this.#eventListeners.size + this.#podListeners.size;
  }

  setPods(pods: Pod[]): void {
    this.list = pods;
    for (const listener of this.#podListeners) listener();
  }

  emit(event: Event): void {
    this.recorded.push(event);
    for (const listener of this.#eventListeners) listener(event);
  }

  pods = (): readonly Pod[] => this.list;

  pod({ name, namespace = "default" }: { name: string; namespace?: string }): Pod {
    const found = this.list.find(
      ({ metadata }) =>
        metadata.namespace === namespace && (metadata.name === name || metadata.name === `${name}-${this.nodeName}`),
    );
    if (found !== undefined) return found;
    throw notFound(
      "pod",
      name,
      this.list.map(({ metadata }) => metadata.name),
    );
  }

  can = { portForward: true, importImage: true };

  async node(): Promise<NodeReport> {
    return {
      name: "node1",
      ip: "10.0.0.1",
      labels: { "kubernetes.io/hostname": "node1" },
      taints: [],
      conditions: [],
      agentVersion: this.version,
      capacity: { cpu: 4000, memory: 8 * 2 ** 30, pods: 110 },
      allocatable: { cpu: 3900, memory: 7 * 2 ** 30, pods: 110 },
      requested: { cpu: 250, memory: 64 * 2 ** 20, pods: 1 },
      runtime: {
        runtimeName: "fake",
        runtimeVersion: "1",
        runtimeApiVersion: "v1",
        idPrefix: "fake",
        isolation: [{ what: "mounts", isolated: "yes", how: "a namespace each" }],
      },
      can: this.can,
      system: {
        operatingSystem: "linux",
        architecture: "amd64",
        kernelVersion: "6.1.0",
        osImage: "Sample Linux 1",
        machineID: "m",
        systemUUID: "s",
        bootID: "b",
      },
      rootDir: "/var/lib/hooklet",
      startedAt: NOW - 60_000,
      createdAt: NOW - 3_600_000,
    };
  }

  /** Requests so far, and how many of them are under way. */
  readonly requests: Parameters<AgentApi["httpRequest"]>[0][] = [];
  underWay = 0;
  httpRequest: AgentApi["httpRequest"] = (request) => {
    this.requests.push(request);
    this.underWay++;
    return () => void this.underWay--;
  };
  summary: Awaited<ReturnType<AgentApi["statistics"]>>;
  statistics: AgentApi["statistics"] = async () => this.summary;

  switchedOff = false;
  pluginHealth: ReturnType<AgentApi["plugins"]>[number]["health"] = { ok: true };
  plugins = (): ReturnType<AgentApi["plugins"]> => [
    {
      name: "sample",
      description: "counts",
      origin: "default",
      state: this.switchedOff ? "off" : "running",
      health: this.pluginHealth,
      views: Object.keys(this.tables),
      taps: [
        {
          hook: "podAdmit",
          name: "sample",
          active: true,
          calls: 2,
          errors: 0,
          timeouts: 0,
          skipped: 0,
          totalMilliseconds: 3,
        },
      ],
    },
  ];

  switchPlugin(name: string, active: boolean): void {
    if (name !== "sample") throw notFound("plugin", name, ["sample"]);
    this.calls.push(["switchPlugin", name, active]);
    this.switchedOff = !active;
  }

  views = (): ReturnType<AgentApi["views"]> =>
    Object.keys(this.tables).map((name) => ({ name, plugin: "sample", description: `${name} of the sample` }));

  async view(name: string): ReturnType<AgentApi["view"]> {
    const table = this.tables[name];
    if (table === undefined) throw notFound("view", name, Object.keys(this.tables));
    return table;
  }

  async plan(plugin: string, input: unknown): Promise<readonly Decision[]> {
    if (plugin !== "sample") throw notFound("plugin", plugin, ["sample"]);
    this.calls.push(["plan", plugin, input]);
    return this.decisions;
  }

  explain(kind: string, name: string): readonly Decision[] {
    return this.decisions.filter(({ subject }) => subject.startsWith(`${kind}/`) && subject.endsWith(`/${name}`));
  }

  /** What plugins say now. */
  said: readonly Decision[] = [];
  explainNow = async (): Promise<readonly Decision[]> => this.said;

  events = (): readonly Event[] => this.recorded;

  watchDecisions(): () => void {
    return () => {};
  }

  watchEvents(listener: (event: Event) => void): () => void {
    this.#eventListeners.add(listener);
    return () => this.#eventListeners.delete(listener);
  }

  watchPods(listener: () => void): () => void {
    this.#podListeners.add(listener);
    return () => this.#podListeners.delete(listener);
  }

  async health(): Promise<HealthReport> {
    return this.healthReport;
  }

  async ready(): Promise<HealthReport> {
    return this.healthReport;
  }

  async metrics(path: string): ReturnType<AgentApi["metrics"]> {
    return { contentType: "text/plain; version=0.0.4", body: `# ${path}\n` };
  }

  metricPaths = (): readonly string[] => ["/metrics", "/metrics/further"];

  configz = (): ReturnType<AgentApi["configz"]> => ({ kubeletconfig: { maxPods: 110 } });

  async apply(manifest: string, where: string): ReturnType<AgentApi["apply"]> {
    this.calls.push(["apply", manifest.length, where]);
    return [{ subject: "pod/web", action: "created" }];
  }

  streamUrls: AgentApi["streamUrl"] = async () => undefined;

  streamUrl: AgentApi["streamUrl"] = (name, request) => {
    this.calls.push(["streamUrl", name, request]);
    return this.streamUrls(name, request);
  };

  applied: ApiObject[] = [];

  objects = (kind: string): readonly ApiObject[] => this.applied.filter((object) => object.kind === kind);

  async deleteObject(kind: string, name: object): Promise<void> {
    this.calls.push(["deleteObject", kind, name]);
  }

  async deletePod(
    name: { name: string; namespace?: string },
    options: { gracePeriodSeconds?: number },
  ): ReturnType<AgentApi["deletePod"]> {
    const pod = this.pod(name);
    this.calls.push(["deletePod", pod.metadata.name, options]);
    this.setPods(this.list.filter((other) => other !== pod));
    return pod;
  }

  async reload(): Promise<void> {
    this.calls.push(["reload"]);
  }

  async restartPod(name: { name: string; namespace?: string }): ReturnType<AgentApi["restartPod"]> {
    const pod = this.pod(name);
    this.calls.push(["restartPod", pod.metadata.name]);
    return pod;
  }

  async log(
    name: { name: string; namespace?: string },
    container: string | undefined,
    options: { previous: boolean },
  ): Promise<LogFile> {
    this.pod(name);
    this.calls.push(["log", container, options]);
    const own = this.logFiles[`${name.name}/${container}`];
    if (own !== undefined) return own;
    if (this.logFile === undefined) throw new Error("no log file set in this test");
    return this.logFile;
  }

  async exec(
    name: { name: string; namespace?: string },
    container: string | undefined,
    options: { command: readonly string[]; tty: boolean; stdin: boolean },
    output: (stream: "stdout" | "stderr", data: Buffer) => void,
  ): Promise<InteractiveExec> {
    this.pod(name);
    this.calls.push(["exec", container, options]);
    if (this.execScript === undefined) throw new Error("no exec script set in this test");
    return this.execScript(options.command, output);
  }

  async portForward(name: { name: string; namespace?: string }, port: number): Promise<Duplex> {
    this.pod(name);
    this.calls.push(["portForward", port]);
    if (this.ports[port] === undefined) throw new RuntimeError("unavailable", `port ${port}: connection refused`);
    return this.ports[port]();
  }

  images = async (): Promise<readonly Image[]> => this.imageList;

  async importImage(name: string, path: string): Promise<string> {
    this.calls.push(["importImage", name, path]);
    return `sha256:${name}`;
  }

  async removeImage(name: string): Promise<void> {
    if (!this.imageList.some(({ repoTags }) => repoTags.includes(name))) throw notFound("image", name, []);
    this.calls.push(["removeImage", name]);
  }

  readonly audited: Change[] = [];

  audit(change: Change): void {
    this.audited.push(change);
  }
}
