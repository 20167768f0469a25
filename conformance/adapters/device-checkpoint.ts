import { type CheckpointData, decodeCheckpoint, encodeCheckpoint, hashedText } from "@hooklet/plugin-devices/internal";
import type { Adapter } from "../adapter.js";
import { errorOf, knownKeys, managerOf, only, sorted, worldOf } from "./devices.js";

interface RawData {
  readonly PodDeviceEntries?:
    | readonly {
        readonly PodUID: string;
        readonly ContainerName: string;
        readonly ResourceName: string;
        readonly DeviceIDs: Readonly<Record<string, readonly string[]>>;
        readonly AllocResp: string;
      }[]
    | null;
  readonly RegisteredDevices: Readonly<Record<string, readonly string[]>>;
}

interface Input {
  readonly Data?: RawData;
  readonly write?: RawData;
  readonly read?: RawData;
  readonly file?: string | null;
}

export const adapter: Adapter<Input> = {
  keys: ["Data", "file", "write", "read"],
  run(input) {
    knownKeys(input, ["Data", "write", "read", "file"]);
    if (input.Data !== undefined) return written(toData(input.Data));
    if (input.write !== undefined) return readBack(toData(input.write));
    if (input.read !== undefined) return readBack(toData(input.read));
    return read(input.file);
  },
  expected: (expected: { readonly allocatedDevices?: Readonly<Record<string, readonly string[]>> }) => ({
    ...expected,
    ...(expected.allocatedDevices === undefined ? {} : { allocatedDevices: sortedLists(expected.allocatedDevices) }),
  }),
  part: only,
};

function toData({ PodDeviceEntries, RegisteredDevices }: RawData): CheckpointData {
  return {
    entries: (PodDeviceEntries ?? []).map(({ PodUID, ContainerName, ResourceName, DeviceIDs, AllocResp }) => ({
      podUid: PodUID,
      container: ContainerName,
      resource: ResourceName,
      devices: new Map(Object.entries(DeviceIDs).map(([node, ids]) => [Number(node), ids])),
      response: AllocResp,
    })),
    registered: new Map(Object.entries(RegisteredDevices)),
  };
}

function written(data: CheckpointData): object {
  const file = encodeCheckpoint(data);
  return { file, hashed_text: hashedText(data), Checksum: (JSON.parse(file) as { Checksum: number }).Checksum };
}

/** What a new manager knows after it has read what was written. */
function readBack(data: CheckpointData): object {
  const manager = managerOf(worldOf());
  const faults = manager.restore(decodeCheckpoint(encodeCheckpoint(data)));
  if (faults.length > 0) throw new Error(faults.join("; "));
  const allocated: Record<string, readonly string[]> = {};
  for (const { resource, devices } of manager.records.all()) {
    allocated[resource] = sorted(new Set([...(allocated[resource] ?? []), ...[...devices.values()].flat()]));
  }
  const resources = manager.inventory.names().map((name) => [name, manager.inventory.get(name)] as const);
  return {
    allocatedDevices: allocated,
    healthy: Object.fromEntries(resources.map(([name, known]) => [name, [...(known?.healthy ?? [])]])),
    unhealthy: Object.fromEntries(resources.map(([name, known]) => [name, [...(known?.unhealthy ?? [])]])),
    endpoint_stopped: resources.every(([, known]) => known?.stoppedAt !== undefined),
    stop_time: resources.every(([, known]) => known?.stoppedAt === 0) ? "now" : "another",
  };
}

/** The vectors' words for what becomes of a file that is moved aside. */
const CORRUPT = { error: "checkpoint is corrupted", kubelet: "logs and goes on with empty state" };

async function read(file: string | null | undefined): Promise<object> {
  if (file === null || file === undefined) return { error: null, reset_extended_resource_capacity: true };
  const error = await errorOf(() => decodeCheckpoint(file));
  if (error?.startsWith("its checksum is ")) return CORRUPT;
  return { error, reset_extended_resource_capacity: false };
}

function sortedLists(lists: Readonly<Record<string, readonly string[]>>): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(Object.entries(lists).map(([name, ids]) => [name, sorted(ids)]));
}
