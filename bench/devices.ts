/** The device manager: allocation for 110 pods, reports of many devices, the checkpoint. Without the time of plugins. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Container, Pod } from "@hooklet/core";
import { writeFileAtomic } from "@hooklet/linux";
import type { AllocationStrategy, Device } from "@hooklet/plugin-devices";
import { allocationStrategies, DeviceManager, encodeCheckpoint, responseCodec } from "@hooklet/plugin-devices/internal";
import { stream } from "./devices/stream.js";
import { median } from "./statistics.js";

export const title = "devices: allocation, reports and checkpoint, against sets rebuilt as in the kubelet";

const RESOURCE = "vendor.example/gpu";
const PODS = 110;
const response = {
  envs: { DEVICES: "x" },
  mounts: [],
  devices: [{ containerPath: "/dev/x", hostPath: "/dev/null", permissions: "rw" }],
  annotations: {},
  cdiDevices: [],
};

export async function run(): Promise<void> {
  const rows: Record<string, string>[] = [];
  for (const count of [8, 1_000, 10_000]) {
    for (const name of ["kubelet", "numa-packed", "spread"]) rows.push(await allocation(count, name));
  }
  console.table(rows);
  console.table([await report(1_000), await report(10_000), await report(100_000)]);
  console.table([await checkpoint(100), await checkpoint(1_000)]);
}

function managerOf(strategy: AllocationStrategy, active: ReadonlySet<string>): DeviceManager {
  return new DeviceManager({
    now: () => performance.now(),
    sourcesReady: () => true,
    wasRunning: () => false,
    activePods: () => active,
    machineNodes: () => [0, 1],
    strategy,
    codec: responseCodec,
    save: () => {},
  });
}

function plug(manager: DeviceManager, devices: readonly Device[]): void {
  manager.connected(RESOURCE, {
    options: { preStartRequired: false, getPreferredAllocationAvailable: false },
    allocate: async () => ({ response, text: "" }),
    preferredAllocation: async () => undefined,
    preStartContainer: async () => {},
    stop: () => {},
  });
  manager.reported(RESOURCE, devices);
}

const devicesOf = (count: number, health = "Healthy"): readonly Device[] =>
  Array.from({ length: count }, (_, index) => ({ id: `gpu-${index}`, health, nodes: [index % 2] }));

function podOf(index: number): { readonly pod: Pod; readonly container: Container } {
  const container = { name: "main", resources: { limits: { [RESOURCE]: "1" } } };
  return {
    pod: {
      metadata: { name: `p${index}`, namespace: "default", uid: `uid-${index}` },
      spec: { containers: [container] },
    },
    container,
  };
}

/** One device for each pod, as far as they go. */
async function allocation(count: number, name: string): Promise<Record<string, string>> {
  const strategy = allocationStrategies[name]?.create({}) as AllocationStrategy;
  const pods = Math.min(PODS, count);
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < 5; round++) {
    const active = new Set<string>();
    const manager = managerOf(strategy, active);
    const devices = devicesOf(count);
    plug(manager, devices);
    const naive = new NaiveManager(devices);
    for (let index = 0; index < pods; index++) {
      const { pod, container } = podOf(index);
      active.add(pod.metadata.uid);
      const began = performance.now();
      await manager.allocate(pod, container);
      ours.push(performance.now() - began);
      const then = performance.now();
      naive.allocate(pod.metadata.uid);
      theirs.push(performance.now() - then);
    }
    if (manager.records.inUse(RESOURCE).size !== naive.used) throw new Error("the allocations differ");
  }
  return {
    devices: String(count),
    strategy: name,
    "ms per allocation": median(ours).toFixed(3),
    "slowest ms": Math.max(...ours).toFixed(2),
    "sets rebuilt, ms": median(theirs).toFixed(3),
  };
}

/** The kubelet's way for one resource: the sets of used and free devices are rebuilt for each allocation. */
class NaiveManager {
  readonly #owners = new Map<string, readonly string[]>();

  constructor(private readonly devices: readonly Device[]) {}

  get used(): number {
    return new Set([...this.#owners.values()].flat()).size;
  }

  allocate(uid: string): void {
    const healthy = new Set(this.devices.filter(({ health }) => health === "Healthy").map(({ id }) => id));
    const used = new Set([...this.#owners.values()].flat());
    const free = [...healthy].filter((id) => !used.has(id));
    this.#owners.set(uid, free.slice(0, 1));
  }
}

/** A complete report in which every device has changed its health. */
async function report(count: number): Promise<Record<string, string>> {
  const manager = managerOf(allocationStrategies.kubelet?.create({}) as AllocationStrategy, new Set());
  plug(manager, devicesOf(count));
  const [well, sick, shuffled] = [devicesOf(count), devicesOf(count, "Unhealthy"), [...devicesOf(count)].reverse()];
  const measure = (devices: readonly Device[]): number => {
    const times = Array.from({ length: 5 }, () => {
      manager.reported(RESOURCE, sick);
      const began = performance.now();
      manager.reported(RESOURCE, devices);
      return performance.now() - began;
    });
    return median(times);
  };
  return {
    devices: String(count),
    "report in order, ms": measure(well).toFixed(2),
    "report in reverse order, ms": measure(shuffled).toFixed(2),
    // More than that no command line takes.
    "over the socket, plugin and all, ms":
      count > 10_000 ? "" : await stream(count, (devices) => manager.reported(RESOURCE, devices)),
  };
}

/** One more record and the whole text, with the kubelet's checksum. */
async function checkpoint(count: number): Promise<Record<string, string>> {
  const active = new Set<string>();
  const manager = managerOf(allocationStrategies.kubelet?.create({}) as AllocationStrategy, active);
  plug(manager, devicesOf(count + 20));
  const add = async (index: number): Promise<void> => {
    const { pod, container } = podOf(index);
    active.add(pod.metadata.uid);
    await manager.allocate(pod, container);
  };
  for (let index = 0; index < count; index++) await add(index);
  const began = performance.now();
  let text = encodeCheckpoint(manager.checkpoint());
  const first = performance.now() - began;
  const times: number[] = [];
  const written: number[] = [];
  const folder = await mkdtemp(path.join(tmpdir(), "hkb-"));
  for (let index = 0; index < 10; index++) {
    await add(count + index);
    const then = performance.now();
    text = encodeCheckpoint(manager.checkpoint());
    times.push(performance.now() - then);
    await writeFileAtomic(path.join(folder, "checkpoint"), text);
    written.push(performance.now() - then);
  }
  await rm(folder, { recursive: true, force: true });
  return {
    entries: String(count),
    KiB: (text.length / 1024).toFixed(0),
    "first text, ms": first.toFixed(2),
    "with one more entry, ms": median(times).toFixed(2),
    "and on disk, ms": median(written).toFixed(2),
  };
}
