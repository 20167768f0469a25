/** Network interfaces, as /proc/<pid>/net/dev tells them. Pure but for the reading. */
import { type CgroupLayout, cgroupFolder, type KernelRead } from "@hooklet/core/rules";

/** One interface: counters since it is up. */
export interface InterfaceUsage {
  readonly name: string;
  readonly rxBytes: number;
  readonly rxPackets: number;
  readonly rxErrors: number;
  readonly rxDropped: number;
  readonly txBytes: number;
  readonly txPackets: number;
  readonly txErrors: number;
  readonly txDropped: number;
}

export interface NetworkUsage {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly interfaces: readonly InterfaceUsage[];
}

/** What cAdvisor leaves out: loopback, and the node's ends of what pods have. */
const IGNORED = ["lo", "veth", "docker", "nerdctl"];

/** A pod that may make interfaces may make very many. */
const MAX_INTERFACES = 64;

/** The first 64 interfaces of one /proc/<pid>/net/dev, in its order. */
export function parseInterfaces(text: string): InterfaceUsage[] {
  const found: InterfaceUsage[] = [];
  for (let begin = 0; begin < text.length && found.length < MAX_INTERFACES; ) {
    const end = text.indexOf("\n", begin);
    const line = text.slice(begin, end === -1 ? undefined : end);
    begin = end === -1 ? text.length : end + 1;
    const one = parseInterface(line);
    if (one !== undefined) found.push(one);
  }
  return found;
}

function parseInterface(line: string): InterfaceUsage | undefined {
  const colon = line.indexOf(":");
  if (colon === -1) return undefined;
  const name = line.slice(0, colon).trim();
  const numbers = line
    .slice(colon + 1)
    .trim()
    .split(/\s+/)
    .map(Number);
  if (IGNORED.some((prefix) => name.startsWith(prefix)) || numbers.length < 12) return undefined;
  const [rxBytes = 0, rxPackets = 0, rxErrors = 0, rxDropped = 0] = numbers;
  const [txBytes = 0, txPackets = 0, txErrors = 0, txDropped = 0] = numbers.slice(8);
  return { name, rxBytes, rxPackets, rxErrors, rxDropped, txBytes, txPackets, txErrors, txDropped };
}

/** Of the network that the agent itself is on: the node's. */
export function readNodeNetwork(files: KernelRead, now: number): NetworkUsage | undefined {
  return networkAt(files, "/proc/self/net/dev", now);
}

/**
 * Of a pod with its own network, seen by the first process in one of its containers.
 * @param kept reads files that stay open; files in /proc are opened each time: a descriptor would keep a dead pod's network
 */
export function readPodNetwork(
  files: KernelRead,
  kept: KernelRead,
  layout: CgroupLayout,
  containerPaths: readonly string[],
  now: number,
): NetworkUsage | undefined {
  for (const path of containerPaths) {
    const folder = cgroupFolder(layout, "pids", path) ?? cgroupFolder(layout, "memory", path);
    const pid = folder === undefined ? Number.NaN : Number.parseInt(kept.read(`${folder}/cgroup.procs`) ?? "", 10);
    if (Number.isFinite(pid)) return networkAt(files, `/proc/${pid}/net/dev`, now);
  }
  return undefined;
}

function networkAt(files: KernelRead, path: string, at: number): NetworkUsage | undefined {
  const text = files.read(path);
  return text === undefined ? undefined : { at, interfaces: parseInterfaces(text) };
}
