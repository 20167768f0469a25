/** The signals of node pressure: what each measures, and the node condition that it raises. Pure. */

export type PressureCondition = "MemoryPressure" | "DiskPressure" | "PIDPressure";

/** What runs short, as messages and events name it. */
export type StarvedResource = "memory" | "ephemeral-storage" | "inodes" | "pids" | "io";

interface SignalFacts {
  readonly resource: StarvedResource;
  readonly condition: PressureCondition;
}

const memory: SignalFacts = { resource: "memory", condition: "MemoryPressure" };
const disk: SignalFacts = { resource: "ephemeral-storage", condition: "DiskPressure" };
const inodes: SignalFacts = { resource: "inodes", condition: "DiskPressure" };
const io: SignalFacts = { resource: "io", condition: "DiskPressure" };

/** In the order in which hooklet deals with them where the kubelet leaves it to chance. */
const signals = {
  "memory.available": memory,
  "allocatableMemory.available": memory,
  "nodefs.available": disk,
  "nodefs.inodesFree": inodes,
  "imagefs.available": disk,
  "imagefs.inodesFree": inodes,
  "containerfs.available": disk,
  "containerfs.inodesFree": inodes,
  "pid.available": { resource: "pids", condition: "PIDPressure" },
  "psi.memory.some": memory,
  "psi.memory.full": memory,
  "psi.io.some": io,
  "psi.io.full": io,
} as const satisfies Readonly<Record<string, SignalFacts>>;

export type Signal = keyof typeof signals;

export const signalNames = Object.keys(signals) as readonly Signal[];

/** hooklet's own: the share of time that processes stalled on a resource. Option `psi` sets their thresholds. */
export type StallSignal = Extract<Signal, `psi.${string}`>;

export function isStallSignal(signal: Signal): signal is StallSignal {
  return signal.startsWith("psi.");
}

/** What processes stand still for. */
export type StalledResource = "memory" | "io";

/** A share of time as a signal has it: hundredths of a percent without stalls are available. */
export const STALL_CAPACITY = 10_000;

const positions: ReadonlyMap<string, number> = new Map(signalNames.map((name, index) => [name, index]));

export function isSignal(name: string): name is Signal {
  return positions.has(name);
}

/** The kubelet's, which thresholds of the configuration are about. */
export function isThresholdSignal(name: string): name is Exclude<Signal, StallSignal> {
  return isSignal(name) && !isStallSignal(name);
}

export function resourceOf(signal: Signal): StarvedResource {
  return signals[signal].resource;
}

export function conditionOf(signal: Signal): PressureCondition {
  return signals[signal].condition;
}

export function isMemorySignal(signal: Signal): boolean {
  return resourceOf(signal) === "memory";
}

/** What lies on a disk runs short: bytes or inodes. */
export function isDiskSignal(signal: Signal): boolean {
  return ["ephemeral-storage", "inodes"].includes(resourceOf(signal));
}

/** Counted, not measured in bytes. */
export function isCounted(resource: StarvedResource): boolean {
  return resource === "inodes" || resource === "pids";
}

/** The conditions of `met` signals, each once, in their order. Unknown names raise none. */
export function conditionsOf(met: readonly string[]): readonly PressureCondition[] {
  return [...new Set(met.filter(isSignal).map(conditionOf))];
}

/** Place in hooklet's own order: memory, disks, processes. */
export function signalPosition(signal: Signal): number {
  return positions.get(signal) ?? positions.size;
}
