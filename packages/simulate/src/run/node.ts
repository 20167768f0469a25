/** The node of a scenario: its machine, and the agent on it, which comes and goes. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { errorText, namespacedName } from "@hooklet/core";
import {
  type Agent,
  type AgentApi,
  type AgentConfig,
  removeTree,
  startAgent,
  volumeCallsHere,
} from "@hooklet/core/host";
import { during, VirtualClock } from "@hooklet/testkit/simulation";
import { pino } from "pino";
import { decisionHappenings, eventHappenings } from "../records/from-agent.js";
import { NOTHING_TOLD, podChanges, type Told } from "../records/pod-changes.js";
import { Recorder } from "../records/recorder.js";
import type { Scenario } from "../scenario/read.js";
import type { ImageSpec } from "../scenario/schema.js";
import { amount, milliseconds } from "../values/amounts.js";
import { Consumption } from "../world/consumption.js";
import { Devices } from "../world/devices.js";
import { Disks } from "../world/disks.js";
import { simulatedImage } from "../world/images.js";
import { ScenarioLogind } from "../world/logind.js";
import { Machine } from "../world/machine.js";
import { PodData } from "../world/pod-data.js";
import { Probes } from "../world/probes.js";
import { type Running, ScenarioRuntime } from "../world/runtime.js";
import { simulatedWorld } from "../world/world.js";
import { ScenarioSource } from "./source.js";

/** Log lines of level error that are kept. */
const MAX_PROBLEMS = 100;

export interface NodeParts {
  readonly scenario: Scenario;
  readonly config: AgentConfig;
  /** Empty, and this run's alone. */
  readonly rootDir: string;
  readonly seed: number;
}

export class ScenarioNode {
  readonly clock = new VirtualClock();
  readonly recorder: Recorder;
  readonly runtime: ScenarioRuntime;
  readonly machine: Machine;
  readonly disks: Disks;
  readonly devices: Devices;
  readonly probes: Probes;
  readonly consumption: Consumption;
  readonly data: PodData;
  readonly logind: ScenarioLogind;
  readonly source: ScenarioSource;
  /** What the agent logged as errors. */
  readonly problems: string[] = [];
  readonly rootDir: string;
  readonly #parts: NodeParts;
  readonly #running = new Map<string, Running>();
  readonly #admitted = new Set<string>();
  readonly #told = new Map<string, Told>();
  readonly #numa: (resource: string, id: string) => readonly number[];
  #uids = 0;
  #agent: Agent | undefined;

  constructor(parts: NodeParts) {
    this.#parts = parts;
    const { scenario, rootDir, seed, config } = parts;
    const { node, images, registry, devices } = scenario.spec;
    const { clock } = this;
    this.rootDir = rootDir;
    this.recorder = new Recorder(clock, rootDir);
    const { recorder } = this;
    this.runtime = this.#makeRuntime();
    for (const image of images) this.runtime.addImage(simulatedImage(image));
    for (const image of registry) this.publish(image);
    this.disks = new Disks(node.imageFs, node.nodeFs, () => this.runtime.imageBytes());
    this.runtime.imageFs = () => this.disks.imageFs();
    this.runtime.imageFree = () => this.disks.imageFree();
    this.machine = new Machine({
      clock,
      cpus: Math.max(1, Math.ceil(amount(node.cpu))),
      memoryBytes: amount(node.memory),
      pids: node.pids,
      numaNodes: node.numa ?? nodesOf(devices),
      cgroups: node.cgroup,
      disks: this.disks,
      onWrite: (path, value, before) => {
        if (value !== before && !path.endsWith("/cgroup.procs")) recorder.add({ kind: "cgroup.written", path, value });
      },
    });
    this.consumption = new Consumption(this.machine, this.disks, this.runtime);
    this.data = new PodData(rootDir, this.disks, this.machine.kernel);
    this.logind = new ScenarioLogind(clock, (state) => recorder.add({ kind: "machine.shutdown", state }));
    this.devices = new Devices(devices, (resource, error) =>
      this.#problem(`device plugin of ${resource} refused: ${errorText(error)}`),
    );
    this.#numa = (resource, id) => {
      const numa = devices[resource]?.find((one) => one.id === id)?.numa;
      return numa === undefined ? [] : [numa].flat();
    };
    this.probes = new Probes({
      clock,
      exec: (id, command, seconds) => this.runtime.execSync(id, command, seconds),
      whose: (id) => {
        const container = this.#running.get(id);
        return container && { podUid: container.pod.uid, container: container.name };
      },
      told: ({ containerId, kind: type }, { result, output, error }) => {
        const container = this.#running.get(containerId);
        if (container === undefined) return;
        const text = error ?? output;
        const pod = nameOf(container);
        recorder.add({
          kind: "probe.result",
          pod,
          container: container.name,
          type,
          result: error === undefined ? result : "error",
          ...(text === "" ? {} : { output: text }),
        });
      },
    });
    this.source = new ScenarioSource({
      nodeName: config.node.name,
      seed,
      now: () => clock.now(),
      watchers: {
        status: (pod) => {
          const { told, happenings } = podChanges(pod, this.#told.get(pod.metadata.uid) ?? NOTHING_TOLD);
          this.#told.set(pod.metadata.uid, told);
          if (told.phase === "Failed" || told.phase === "Succeeded") this.data.remove(pod.metadata.uid);
          for (const happening of happenings) recorder.add(happening);
        },
        event: (event) => {
          const uid = event.involvedObject.uid ?? "";
          const victim = this.#admitted.has(uid) ? this.source.spec(uid) : undefined;
          for (const happening of eventHappenings(event, victim)) recorder.add(happening);
        },
        removed: ({ metadata }) => {
          const { uid } = metadata;
          this.#told.delete(uid);
          this.data.remove(uid);
          this.#admitted.delete(uid);
          recorder.add({ kind: "pod.removed", pod: namespacedName(metadata) });
        },
      },
    });
  }

  get api(): AgentApi {
    if (this.#agent === undefined) throw new Error("the agent does not run");
    return this.#agent.api;
  }

  /** What a pull of these names brings from now on. */
  publish(image: ImageSpec): void {
    this.runtime.publishImage(simulatedImage(image));
    const pull = image.pull === undefined ? 0 : milliseconds(image.pull);
    for (const name of image.names) this.runtime.pullTimes.set(name, pull);
  }

  async start(): Promise<void> {
    const { config, rootDir } = this.#parts;
    const { clock, runtime, machine, source } = this;
    const probes = this.probes.answer.bind(this.probes);
    const world = simulatedWorld({ probes, devicePlugins: this.devices, logind: this.logind });
    const plugins = config.plugins.map((loaded) => ({
      ...loaded,
      plugin: loaded.plugin.simulated?.(world) ?? loaded.plugin,
    }));
    const memoryDir = join(rootDir, "memory");
    await mkdir(memoryDir, { recursive: true, mode: 0o700 });
    const write = (line: string): void => this.#problem((JSON.parse(line) as { readonly msg: string }).msg);
    const starting = startAgent({
      config: { ...config, rootDir, socket: join(rootDir, "hooklet.sock"), plugins },
      version: "simulated",
      clock,
      log: pino({ level: "error" }, { write }),
      runtime,
      host: machine,
      // No other agent knows this folder.
      lock: async () => ({ release: async () => {} }),
      sources: [source],
      ids: { uid: () => `00000000-0000-4000-8000-${String(++this.#uids).padStart(12, "0")}` },
      httpGet: async () => ({ statusCode: 200 }),
      volumeCalls: {
        ...volumeCallsHere,
        prepareHostPath: async () => {},
        mountAllowed: async ({ source }) => source.path,
        mountSource: async ({ volumePath, subPath }) => join(volumePath, subPath),
        mountsMemory: false,
        memoryDir,
        close: () => {},
      },
    });
    this.#agent = await during(clock, "The start of the agent", starting);
    this.#agent.api.watchDecisions((decision) => {
      for (const happening of decisionHappenings(decision, this.#numa)) this.recorder.add(happening);
    });
    await clock.settle();
  }

  async restart(): Promise<void> {
    await this.#stopAgent();
    this.recorder.add({ kind: "agent.restarted" });
    await this.start();
  }

  /** With what it left on disk. */
  async stop(): Promise<void> {
    await this.#stopAgent();
    await removeTree(this.#parts.rootDir);
  }

  async #stopAgent(): Promise<void> {
    const agent = this.#agent;
    this.#agent = undefined;
    if (agent !== undefined) await during(this.clock, "The stop of the agent", agent.stop());
  }

  #problem(text: string): void {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push(text);
  }

  #makeRuntime(): ScenarioRuntime {
    const { clock, recorder } = this;
    return new ScenarioRuntime(
      { clock },
      {
        sandbox: (pod) => {
          if (this.#admitted.has(pod.uid)) return;
          this.#admitted.add(pod.uid);
          recorder.add({ kind: "pod.admitted", pod: namespacedName(pod) });
        },
        started: (container) => {
          this.#running.set(container.id, container);
          this.consumption.started(container);
          const { name, attempt } = container;
          const kind = attempt === 0 ? "container.started" : "container.restarted";
          recorder.add({ kind, pod: nameOf(container), container: name, attempt });
        },
        ended: (container, { code, reason, stopped }) => {
          this.#running.delete(container.id);
          this.consumption.ended(container.id);
          const { name, attempt } = container;
          const kind = stopped ? "container.killed" : "container.exited";
          recorder.add({ kind, pod: nameOf(container), container: name, attempt, code, reason });
        },
        gone: (id) => {
          this.data.remove(id);
          this.consumption.removed(id);
        },
        pulled: (image, id, size) => recorder.add({ kind: "image.pulled", image, id, size }),
        removed: (id, names, size) => recorder.add({ kind: "image.removed", id, names, size }),
        resized: (id, { memoryLimitInBytes }) => this.consumption.resized(id, memoryLimitInBytes || undefined),
      },
    );
  }

  /** How many pods run, and are ready, as was last told. */
  readonly pods = (): { readonly running: number; readonly ready: number } => {
    const all = [...this.#told.values()];
    return {
      running: all.filter(({ phase }) => phase === "Running").length,
      ready: all.filter(({ ready }) => ready).length,
    };
  };

  /** A container that runs. */
  running(id: string): Running | undefined {
    return this.#running.get(id);
  }
}

function nameOf({ pod }: Running): string {
  return namespacedName(pod);
}

/** So many that each one named is there. */
function nodesOf(devices: Scenario["spec"]["devices"]): number {
  const named = Object.values(devices).flatMap((list) => list.flatMap(({ numa = 0 }) => numa));
  return Math.max(0, ...named) + 1;
}
