/**
 * `cpu_manager_state` as the kubelet writes it (pkg/kubelet/cm/cpumanager/state CPUManagerCheckpointV2), checksum included. Later
 * kubelets write more keys, and take over files without them. Pure.
 */
import { NodeAgentError } from "@hooklet/core";
import { formatCpuList, goChecksum, parseCpuList } from "@hooklet/core/rules";
import { isRecord } from "@hooklet/core/subsystem";
import { type Assignments, CpuState } from "./cpu-state.js";
import type { CpuSet } from "./topology.js";

export interface CpuCheckpoint {
  readonly policyName: string;
  readonly state: CpuState;
}

type Entries = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Keys in the order of the kubelet's struct, without blanks. */
export function encodeCpuState(policyName: string, { shared, assignments }: CpuState): string {
  const entries = entriesOf(assignments);
  const defaultCpuSet = formatCpuList(shared);
  const checksum = checksumOf(policyName, defaultCpuSet, entries);
  // Put together by hand: an object of JavaScript's would move names that are numbers to the front.
  const pods = sorted(Object.entries(entries)).map(([uid, containers]) => {
    const sets = sorted(Object.entries(containers)).map(([name, cpus]) => `${quoted(name)}:${quoted(cpus)}`);
    return `${quoted(uid)}:{${sets.join(",")}}`;
  });
  const some = pods.length === 0 ? "" : `"entries":{${pods.join(",")}},`;
  return `{"policyName":${quoted(policyName)},"defaultCpuSet":${quoted(defaultCpuSet)},${some}"checksum":${checksum}}`;
}

/** @throws NodeAgentError INVALID for what the kubelet would refuse as well: no JSON, another checksum, no list of processors */
export function decodeCpuState(text: string): CpuCheckpoint {
  const { policyName, defaultCpuSet, entries, checksum } = shapeOf(text);
  // As in the kubelet: files of its first versions had none.
  if (checksum !== 0 && checksum !== checksumOf(policyName, defaultCpuSet, entries)) {
    throw new NodeAgentError("INVALID", "checkpoint is corrupted");
  }
  const assignments = new Map<string, Map<string, CpuSet>>();
  for (const [podUid, containers] of Object.entries(entries)) {
    const sets = new Map<string, CpuSet>();
    for (const [name, cpus] of Object.entries(containers)) {
      sets.set(
        name,
        parseCpuList(cpus, `cpuset of container ${JSON.stringify(name)} in pod ${JSON.stringify(podUid)}`),
      );
    }
    assignments.set(podUid, sets);
  }
  return { policyName, state: new CpuState(parseCpuList(defaultCpuSet, "default CPU set"), assignments) };
}

/** The checksum is over the struct as Go's spew prints it: maps sorted by key, an empty one too. */
export function checksumOf(policyName: string, defaultCpuSet: string, entries: Entries): number {
  const map = (pairs: readonly (readonly [string, string])[]): string =>
    `map[${sorted(pairs)
      .map(([key, value]) => `${key}:${value}`)
      .join(" ")}]`;
  const pods = Object.entries(entries).map(([uid, containers]) => [uid, map(Object.entries(containers))] as const);
  return goChecksum(
    `(*state.CPUManagerCheckpoint){PolicyName:(string)${policyName} DefaultCPUSet:(string)${defaultCpuSet} ` +
      `Entries:(map[string]map[string]string)${map(pods)} Checksum:(checksum.Checksum)0}`,
  );
}

function entriesOf(assignments: Assignments): Entries {
  return Object.fromEntries(
    [...assignments].map(([uid, containers]) => [
      uid,
      Object.fromEntries([...containers].map(([name, cpus]) => [name, formatCpuList(cpus)])),
    ]),
  );
}

function sorted<T>(pairs: readonly (readonly [string, T])[]): readonly (readonly [string, T])[] {
  return [...pairs].sort(([a], [b]) => (a < b ? -1 : 1));
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

interface Shape {
  readonly policyName: string;
  readonly defaultCpuSet: string;
  readonly entries: Entries;
  readonly checksum: number;
}

function shapeOf(text: string): Shape {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch (error) {
    throw new NodeAgentError("INVALID", `expected JSON, found ${JSON.stringify(text.slice(0, 40))}`, { cause: error });
  }
  const { policyName = "", defaultCpuSet = "", entries = {}, checksum = 0 } = isRecord(found) ? found : {};
  const isText = (value: unknown): value is string => typeof value === "string";
  const isEntries = (value: unknown): value is Entries =>
    isRecord(value) && Object.values(value).every((one) => isRecord(one) && Object.values(one).every(isText));
  if (
    isRecord(found) &&
    isText(policyName) &&
    isText(defaultCpuSet) &&
    typeof checksum === "number" &&
    isEntries(entries)
  ) {
    return { policyName, defaultCpuSet, entries, checksum };
  }
  throw new NodeAgentError(
    "INVALID",
    "expected an object with policyName, defaultCpuSet, entries and checksum, found something else",
  );
}
