/**
 * The kubelet's file `kubelet_internal_checkpoint`, to the byte (pkg/kubelet/cm/devicemanager/checkpoint): a node can move from a kubelet to
 * hooklet and back.
 */

import { errorText } from "@hooklet/core";
import { goChecksum } from "@hooklet/core/rules";
import { isRecord } from "@hooklet/core/subsystem";

/** The name of the file in the folder of the device plugins' sockets. */
export const CHECKPOINT_NAME = "kubelet_internal_checkpoint";

/** The file's text, with the checksum that a kubelet computes. */
export function encodeCheckpoint(data: CheckpointData): string {
  const entries = data.entries.map(entryText);
  const registered = [...data.registered].sort(([a], [b]) => (a < b ? -1 : 1));
  const list = entries.length === 0 ? "null" : `[${entries.join(",")}]`;
  const resources = registered.map(([resource, ids]) => `${goJson(resource)}:${goJson(ids)}`).join(",");
  const body = `{"PodDeviceEntries":${list},"RegisteredDevices":{${resources}}}`;
  return `{"Data":${body},"Checksum":${checksumOf(data)}}`;
}

/**
 * The file's content. Unknown keys are passed over, as a kubelet does.
 * @throws Error saying what is wrong: no JSON, another shape (files of Kubernetes 1.19 and older among them), wrong checksum
 */
export function decodeCheckpoint(text: string): CheckpointData {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (error) {
    throw new Error(`it is not JSON: ${errorText(error)}`);
  }
  const { Data, Checksum } = record(file, "the file");
  const { PodDeviceEntries, RegisteredDevices } = record(Data, "Data");
  const data: CheckpointData = {
    entries: list(PodDeviceEntries, "PodDeviceEntries").map(entryOf),
    registered: new Map(
      Object.entries(record(RegisteredDevices ?? {}, "RegisteredDevices")).map(([resource, ids]) => [
        resource,
        texts(ids, `RegisteredDevices.${resource}`),
      ]),
    ),
  };
  const checksum = checksumOf(data);
  if (Checksum !== checksum) throw new Error(`its checksum is ${String(Checksum)}, that of its content ${checksum}`);
  return data;
}

const encodedEntries = new WeakMap<CheckpointEntry, string>();

/** Kept by entry: from one write to the next few of them change. */
function entryText(entry: CheckpointEntry): string {
  const known = encodedEntries.get(entry);
  if (known !== undefined) return known;
  // Keys of a map stand in the order of their text.
  const devices = [...entry.devices]
    .map(([node, ids]) => [String(node), ids] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const text =
    `{"PodUID":${goJson(entry.podUid)},"ContainerName":${goJson(entry.container)},"ResourceName":${goJson(entry.resource)},` +
    `"DeviceIDs":{${devices.map(([node, ids]) => `${goJson(node)}:${goJson(ids)}`).join(",")}},"AllocResp":${goJson(entry.response)}}`;
  encodedEntries.set(entry, text);
  return text;
}

/** JSON as Go writes it: what could be taken for HTML, and two line ends of Unicode, are escaped. */
function goJson(value: string | readonly string[]): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function entryOf(value: unknown, index: number): CheckpointEntry {
  const place = `PodDeviceEntries[${index}]`;
  const entry = record(value, place);
  const text = (key: string): string => {
    const found = entry[key] ?? "";
    if (typeof found !== "string") throw new Error(`${place}.${key} is no text`);
    return found;
  };
  const devices = Object.entries(record(entry.DeviceIDs ?? {}, `${place}.DeviceIDs`)).map(([node, ids]) => {
    const id = Number(node);
    if (!/^-?\d+$/.test(node) || !Number.isSafeInteger(id))
      throw new Error(`${place}.DeviceIDs: ${node} is no NUMA node`);
    return [id, texts(ids, `${place}.DeviceIDs.${node}`)] as const;
  });
  const response = text("AllocResp");
  if (Buffer.from(response, "base64").toString("base64") !== response)
    throw new Error(`${place}.AllocResp is not base64`);
  return {
    podUid: text("PodUID"),
    container: text("ContainerName"),
    resource: text("ResourceName"),
    devices: new Map(devices),
    response,
  };
}

function record(value: unknown, place: string): Readonly<Record<string, unknown>> {
  if (isRecord(value)) return value;
  throw new Error(`${place} is no object`);
}

function list(value: unknown, place: string): readonly unknown[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value;
  throw new Error(`${place} is no list`);
}

function texts(value: unknown, place: string): readonly string[] {
  return list(value, place).map((one) => {
    if (typeof one !== "string") throw new Error(`${place} holds what is no text`);
    return one;
  });
}

// The checksum of the kubelet's checkpoints: FNV-1a, 32 bit, over the content as Go's spew package prints it with `%#v` (pkg/util/hash DeepHashObject):
// type names in parentheses for fields, lists in brackets, keys sorted, bytes as decimals.

/** The checksum of the data in the file. */
export function checksumOf(data: CheckpointData): number {
  return goChecksum(hashedText(data));
}

/** The text that is hashed. */
export function hashedText({ entries, registered }: CheckpointData): string {
  const list = entries.length === 0 ? "<nil>" : `[${entries.map(hashedEntry).join(" ")}]`;
  const resources = [...registered].sort(([a], [b]) => (a < b ? -1 : 1));
  return (
    `(checkpoint.checkpointData){PodDeviceEntries:([]checkpoint.PodDevicesEntry)${list} ` +
    `RegisteredDevices:(map[string][]string)${mapText(resources)}}`
  );
}

const hashedEntries = new WeakMap<CheckpointEntry, string>();

function hashedEntry(entry: CheckpointEntry): string {
  const known = hashedEntries.get(entry);
  if (known !== undefined) return known;
  const devices = [...entry.devices].sort(([a], [b]) => a - b);
  const bytes = Buffer.from(entry.response, "base64");
  const text =
    `{PodUID:(string)${entry.podUid} ContainerName:(string)${entry.container} ResourceName:(string)${entry.resource} ` +
    `DeviceIDs:(checkpoint.DevicesPerNUMA)${mapText(devices)} AllocResp:([]uint8)[${[...bytes].join(" ")}]}`;
  hashedEntries.set(entry, text);
  return text;
}

function mapText(pairs: readonly (readonly [string | number, readonly string[]])[]): string {
  return `map[${pairs.map(([key, values]) => `${key}:[${values.join(" ")}]`).join(" ")}]`;
}

/** What a checkpoint holds. */
export interface CheckpointData {
  readonly entries: readonly CheckpointEntry[];
  /** Healthy devices by resource, in the order of the file. */
  readonly registered: ReadonlyMap<string, readonly string[]>;
}

export interface CheckpointEntry {
  readonly podUid: string;
  readonly container: string;
  readonly resource: string;
  /** By NUMA node, -1 without topology. */
  readonly devices: ReadonlyMap<number, readonly string[]>;
  /** ContainerAllocateResponse as protobuf in base64. */
  readonly response: string;
}
