import type { Question } from "@hooklet/plugin-devices";
import { type DeviceManager, decodeCheckpoint, deviceIds, encodeCheckpoint } from "@hooklet/plugin-devices/internal";
import type { Adapter } from "../adapter.js";
import {
  endpointOf,
  errorOf,
  knownKeys,
  managerOf,
  podOf,
  type RawContainer,
  type RawDevice,
  sorted,
  toDevice,
  type World,
  worldOf,
} from "./devices.js";

interface Step {
  readonly do: "update" | "wait" | "admit" | "terminate" | "restart" | "sources_ready" | "disconnect";
  readonly resource?: string;
  readonly devices?: readonly RawDevice[];
  readonly seconds?: number;
  readonly pod?: string;
  readonly init?: readonly RawContainer[];
  readonly containers?: readonly RawContainer[];
  readonly affinity?: Readonly<Record<string, readonly number[]>>;
  readonly running?: readonly (readonly [pod: string, container: string])[];
  readonly sources_ready?: boolean;
}

const keys = [
  "do",
  "resource",
  "devices",
  "seconds",
  "pod",
  "init",
  "containers",
  "affinity",
  "running",
  "sources_ready",
];

interface Node {
  readonly world: World;
  manager: DeviceManager;
  /** The checkpoint's text as last written. */
  saved: string;
}

export const adapter: Adapter<{ readonly numa_nodes: readonly number[]; readonly steps: readonly Step[] }> = {
  keys: ["numa_nodes", "steps"],
  async run({ numa_nodes, steps, ...rest }) {
    knownKeys(rest, []);
    const world = worldOf({ machineNodes: numa_nodes });
    const node: Node = {
      world,
      manager: managerOf(world),
      saved: encodeCheckpoint({ entries: [], registered: new Map() }),
    };
    // What is collected as garbage is not written: as in a kubelet the file may be behind.
    world.save = () => {
      node.saved = encodeCheckpoint(node.manager.checkpoint());
    };
    const answers = [];
    for (const step of steps) {
      knownKeys(step, keys);
      const answer = await take(node, step);
      node.manager.collectGarbage();
      const { capacity, allocatable, removed } = node.manager.capacity();
      if (removed.length > 0) world.save();
      answers.push({ ...answer, capacity, allocatable, removed, in_use: inUse(node.manager) });
    }
    return { steps: answers };
  },
};

async function take(node: Node, step: Step): Promise<object> {
  const { world, manager } = node;
  const { resource = "", pod = "" } = step;
  switch (step.do) {
    case "update":
      if (manager.inventory.get(resource)?.stoppedAt !== undefined || !manager.inventory.has(resource)) {
        manager.connected(resource, endpointOf({ preferred: alphabetical }));
      }
      manager.reported(resource, (step.devices ?? []).map(toDevice));
      world.save();
      return {};
    case "disconnect":
      manager.disconnected(resource);
      return {};
    case "wait":
      world.now += step.seconds ?? 0;
      return {};
    case "terminate":
      world.active.delete(pod);
      return {};
    case "sources_ready":
      world.sourcesReady = true;
      return {};
    case "restart":
      node.manager = managerOf(world);
      node.manager.restore(decodeCheckpoint(node.saved));
      world.sourcesReady = step.sources_ready ?? true;
      world.running = new Set((step.running ?? []).map(([uid, container]) => `${uid}/${container}`));
      return {};
    case "admit":
      return await admit(node, step);
    default:
      throw new Error(`unknown step ${String(step.do)}`);
  }
}

async function admit(
  { world, manager }: Node,
  { pod: uid = "", init = [], containers = [], affinity = {} }: Step,
): Promise<object> {
  const pod = podOf(uid, containers, init);
  const all = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
  const error = await errorOf(async () => {
    for (const container of all) {
      manager.setAffinity(uid, container.name, affinity[container.name]);
      await manager.allocate(pod, container);
    }
  });
  if (error === null) world.active.add(uid);
  else world.active.delete(uid);
  manager.endAdmission(uid);
  const devices = Object.fromEntries(
    all.map(({ name }) => {
      const own = manager.records.ofContainer(uid, name).map((one) => [one.resource, sorted(deviceIds(one.devices))]);
      return [name, Object.fromEntries(own)];
    }),
  );
  return { error, devices: error === null ? devices : null };
}

/** Every plugin of the series prefers what must be, then the others, each in alphabetical order. */
function alphabetical({ available, mustInclude, size }: Question): readonly string[] {
  const others = available.filter((id) => !mustInclude.includes(id));
  return [...sorted(mustInclude), ...sorted(others)].slice(0, size);
}

function inUse(manager: DeviceManager): object {
  const ids: Record<string, Set<string>> = {};
  for (const { resource, devices } of manager.records.all()) {
    ids[resource] ??= new Set();
    for (const id of deviceIds(devices)) ids[resource]?.add(id);
  }
  return Object.fromEntries(Object.entries(ids).map(([resource, own]) => [resource, sorted(own)]));
}
