/** The node of a scenario: its machine, and the agent on it, which comes and goes. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { errorText, namespacedName, type Pod } from "@hooklet/core";
import type { AgentApi, AgentConfig } from "@hooklet/core/host";
import { mountMemoryDisk, SimulatedNode, SimulatedRuntime, SimulatedSource, VirtualClock } from "@hooklet/sim";
import { pino } from "pino";
import {
  decisionHappenings,
  eventHappenings,
  NOTHING_RECORDED,
  podChanges,
  type Recorded,
} from "../records/from-agent.js";
import { seconds } from "../records/record.js";
import { Recorder } from "../records/recorder.js";
import type { Scenario } from "../scenario/read.js";
import { amount } from "../values/amounts.js";
import { Consumption } from "../world/consumption.js";
import { Devices } from "../world/devices.js";
import { Disks, PodData } from "../world/disks.js";
import { ScenarioLogind } from "../world/logind.js";
import { Machine } from "../world/machine.js";
import { Probes } from "../world/probes.js";
import { type Running, runningOf, Terms } from "../world/running.js";
import { simulatedImage } from "../world/simulated-image.js";
import { realDevices, simulatedWorld } from "../world/world.js";
import { Problems } from "./problems.js";

/** Counts them: no two of a process have one root dir. */
let nodes = 0;

export interface NodeParts {
  readonly scenario: Scenario;
  readonly config: AgentConfig;
  readonly seed: number;
}

export class ScenarioNode {
  readonly clock = new VirtualClock();
  readonly recorder: Recorder;
  readonly runtime: SimulatedRuntime;
  readonly terms = new Terms();
  readonly machine: Machine;
  readonly disks: Disks;
  readonly devices: Devices;
  readonly probes: Probes;
  readonly consumption: Consumption;
  readonly data: PodData;
  readonly logind: ScenarioLogind;
  readonly source: SimulatedSource;
  /** What the agent logged as errors. */
  readonly problems = new Problems();
  /** A disk in memory, this node's alone. */
  readonly rootDir = `/simulated-${++nodes}`;
  readonly #unmount = mountMemoryDisk(this.rootDir);
  readonly #parts: NodeParts;
  readonly #running = new Map<string, Running>();
  readonly #admitted = new Set<string>();
  readonly #recorded = new Map<string, Recorded>();
  readonly #numa: (resource: string, id: string) => readonly number[];
  readonly #node: SimulatedNode;

  constructor(parts: NodeParts) {
    this.#parts = parts;
    const { scenario, seed } = parts;
    const { node, images, registry, devices } = scenario.spec;
    const { clock, rootDir } = this;
    this.recorder = new Recorder(clock, rootDir);
    const { recorder } = this;
    this.runtime = this.#makeRuntime();
    for (const image of images) this.runtime.addImage(simulatedImage(image));
    for (const image of registry) this.runtime.publishImage(simulatedImage(image));
    this.disks = new Disks(node.imageFs, node.nodeFs, () => this.runtime.imageBytes());
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
    this.consumption = new Consumption(this.machine, this.disks);
    this.data = new PodData(rootDir, this.disks, this.machine.kernel);
    this.logind = new ScenarioLogind(clock, (state) => recorder.add({ kind: "machine.shutdown", state }));
    this.devices = new Devices(realDevices(clock), devices, (resource, error) =>
      this.#problem({ msg: `device plugin of ${resource} refused: ${errorText(error)}` }),
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
      answered: ({ containerId, kind: type }, { result, output, error }) => {
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
    this.source = new SimulatedSource({
      name: "scenario",
      uidOf: ({ metadata }, generation) => uidOf(`${seed}/${namespacedName(metadata)}/${generation}`),
      watchers: {
        status: (pod) => {
          const { recorded, happenings } = podChanges(pod, this.#recorded.get(pod.metadata.uid) ?? NOTHING_RECORDED);
          this.#recorded.set(pod.metadata.uid, recorded);
          if (recorded.phase === "Failed" || recorded.phase === "Succeeded") this.data.remove(pod.metadata.uid);
          for (const happening of happenings) recorder.add(happening);
        },
        event: (event) => {
          const uid = event.involvedObject.uid ?? "";
          const victim = this.#admitted.has(uid) ? this.source.spec(uid) : undefined;
          for (const happening of eventHappenings(event, victim)) recorder.add(happening);
        },
        removed: ({ metadata }) => {
          const { uid } = metadata;
          this.#recorded.delete(uid);
          this.data.remove(uid);
          this.#admitted.delete(uid);
          recorder.add({ kind: "pod.removed", pod: namespacedName(metadata) });
        },
      },
    });
    this.#node = this.#makeNode();
  }

  /** @throws Error while no agent runs */
  get api(): AgentApi {
    return this.#node.api;
  }

  /** A pod with another spec takes the place of the one of its name. */
  apply(pod: Pod): void {
    const { metadata, spec } = pod;
    const annotations = {
      ...metadata.annotations,
      "kubernetes.io/config.seen": new Date(this.clock.now()).toISOString(),
    };
    const { name: nodeName } = this.#parts.config.node;
    this.source.apply({ ...pod, metadata: { ...metadata, annotations }, spec: { ...spec, nodeName } });
  }

  async start(): Promise<void> {
    await this.devices.load();
    await this.#node.start();
  }

  restart(): Promise<void> {
    return this.#node.restart(() => this.recorder.add({ kind: "agent.restarted" }));
  }

  /** With what it left on disk. */
  async stop(): Promise<void> {
    await this.#node.stop();
    this.#unmount();
  }

  #makeNode(): SimulatedNode {
    const { config } = this.#parts;
    const { clock, runtime, machine, rootDir, source } = this;
    const write = (line: string): void => this.#problem(JSON.parse(line));
    return new SimulatedNode({
      clock,
      runtime,
      host: machine,
      rootDir,
      // The timeline applies pods and objects alike: its pods see what it applies.
      config: () => ({ ...config, sources: { ...config.sources, objects: ["others"] } }),
      sources: [source],
      world: simulatedWorld(this),
      log: pino({ level: "error" }, { write }),
      started: (api) =>
        api.watchDecisions((decision) => {
          for (const happening of decisionHappenings(decision, this.#numa)) this.recorder.add(happening);
        }),
      // hostPaths are of another machine.
      volumeCalls: {
        prepareHostPath: async () => {},
        mountSource: async ({ volumePath, subPath }) => join(volumePath, subPath),
      },
    });
  }

  #problem(logged: Parameters<Problems["add"]>[1]): void {
    this.problems.add(seconds(this.recorder.now), logged);
  }

  #makeRuntime(): SimulatedRuntime {
    const { clock, recorder, terms } = this;
    return new SimulatedRuntime({
      clock,
      // The disks are made once it is known what images take.
      disk: { imageFs: () => this.disks.imageFs(), imageFree: () => this.disks.imageFree() },
      onTerm: terms.term,
      watchers: {
        sandbox: (pod) => {
          if (this.#admitted.has(pod.uid)) return;
          this.#admitted.add(pod.uid);
          recorder.add({ kind: "pod.admitted", pod: namespacedName(pod) });
        },
        started: (record) => {
          const container = runningOf(record);
          this.#running.set(container.id, container);
          this.consumption.started(container);
          const { name, attempt } = container;
          const kind = attempt === 0 ? "container.started" : "container.restarted";
          recorder.add({ kind, pod: nameOf(container), container: name, attempt });
        },
        ended: (record) => {
          const { id, config, sandbox, exit, isStopped = false } = record;
          const { code = 0, reason = code === 0 ? "Completed" : "Error" } = exit ?? {};
          this.#running.delete(id);
          this.consumption.ended(id);
          const { name, attempt } = config.metadata;
          const kind = isStopped ? "container.killed" : "container.exited";
          recorder.add({ kind, pod: namespacedName(sandbox.config.metadata), container: name, attempt, code, reason });
        },
        removed: ({ id }) => {
          this.data.remove(id);
          this.consumption.removed(id);
        },
        pulled: (image, id, size) => recorder.add({ kind: "image.pulled", image, id, size }),
        imageRemoved: (id, names, size) => recorder.add({ kind: "image.removed", id, names, size }),
        resized: ({ id }, { memoryLimitInBytes }) => this.consumption.resized(id, memoryLimitInBytes || undefined),
      },
    });
  }

  /** How many pods run, and are ready, as last recorded. */
  readonly pods = (): { readonly running: number; readonly ready: number } => {
    const all = [...this.#recorded.values()];
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

function uidOf(text: string): string {
  const hash = createHash("md5").update(text).digest("hex");
  return hash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function nameOf({ pod }: Running): string {
  return namespacedName(pod);
}

/** So many that each one named is there. */
function nodesOf(devices: Scenario["spec"]["devices"]): number {
  const named = Object.values(devices).flatMap((list) => list.flatMap(({ numa = 0 }) => numa));
  return Math.max(0, ...named) + 1;
}
