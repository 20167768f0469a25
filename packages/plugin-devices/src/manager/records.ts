/** Between the manager's records and the checkpoint. Pure. */
import { errorText } from "@hooklet/core";
import type { CheckpointData, CheckpointEntry } from "../checkpoint/data.js";
import type { Allocation } from "../device/pod-devices.js";
import type { ResponseCodec } from "./ports.js";
import type { DeviceState } from "./state.js";

/** What the checkpoint holds. Records without a response are left out. */
export function checkpointOf({ records, inventory }: Pick<DeviceState, "records" | "inventory">): CheckpointData {
  const entries = [...records.all()].flatMap((allocation) => entryOf(allocation) ?? []);
  return { entries, registered: inventory.healthy() };
}

/**
 * Takes over a checkpoint: its resources count as stopped, from `now` on, until their plugins are back. Returns the entries
 * left out, and why.
 */
export function restoreInto(
  { records, inventory }: Pick<DeviceState, "records" | "inventory">,
  { entries, registered }: CheckpointData,
  codec: ResponseCodec,
  now: number,
): readonly string[] {
  const faults: string[] = [];
  for (const { podUid, container, resource, devices, response } of entries) {
    try {
      records.insert({
        podUid,
        container,
        resource,
        devices,
        response: codec.decode(response),
        encoded: response,
      });
    } catch (error) {
      faults.push(`${resource} of container ${container} of pod ${podUid}: ${errorText(error)}`);
    }
  }
  for (const resource of registered.keys()) inventory.remember(resource, now);
  return faults;
}

const known = new WeakMap<Allocation, CheckpointEntry>();

/** One object for one record, so that its text is made once (format.ts). */
function entryOf(allocation: Allocation): CheckpointEntry | undefined {
  const { podUid, container, resource, devices, encoded } = allocation;
  if (encoded === undefined) return undefined;
  const before = known.get(allocation);
  if (before !== undefined) return before;
  const entry: CheckpointEntry = { podUid, container, resource, devices, response: encoded };
  known.set(allocation, entry);
  return entry;
}
