/**
 * The checksum of the kubelet's checkpoints: FNV-1a, 32 bit, over the content as Go's spew package prints it with `%#v`
 * (pkg/util/hash DeepHashObject): type names in parentheses for fields, lists in brackets, keys sorted, bytes as decimals. Pure.
 */
import { goChecksum } from "@hooklet/core/rules";
import type { CheckpointData, CheckpointEntry } from "./data.js";

/** The checksum of the data in the file. */
export function checksumOf(data: CheckpointData): number {
  return goChecksum(hashedText(data));
}

/** The text that is hashed. */
export function hashedText({ entries, registered }: CheckpointData): string {
  const list = entries.length === 0 ? "<nil>" : `[${entries.map(entryText).join(" ")}]`;
  const resources = [...registered].sort(([a], [b]) => (a < b ? -1 : 1));
  return (
    `(checkpoint.checkpointData){PodDeviceEntries:([]checkpoint.PodDevicesEntry)${list} ` +
    `RegisteredDevices:(map[string][]string)${mapText(resources)}}`
  );
}

const entryTexts = new WeakMap<CheckpointEntry, string>();

function entryText(entry: CheckpointEntry): string {
  const known = entryTexts.get(entry);
  if (known !== undefined) return known;
  const devices = [...entry.devices].sort(([a], [b]) => a - b);
  const bytes = Buffer.from(entry.response, "base64");
  const text =
    `{PodUID:(string)${entry.podUid} ContainerName:(string)${entry.container} ResourceName:(string)${entry.resource} ` +
    `DeviceIDs:(checkpoint.DevicesPerNUMA)${mapText(devices)} AllocResp:([]uint8)[${[...bytes].join(" ")}]}`;
  entryTexts.set(entry, text);
  return text;
}

function mapText(pairs: readonly (readonly [string | number, readonly string[]])[]): string {
  return `map[${pairs.map(([key, values]) => `${key}:[${values.join(" ")}]`).join(" ")}]`;
}
