/**
 * What a plugin finds outside of the node when it runs in a simulation: in place of networks and sockets of other programs. What it
 * has from `ctx` (clock, runtime, host, checkpoints) is simulated already.
 */
export interface SimulatedWorld {
  /** What becomes of an attempt to probe a container, now; takes virtual time where the scenario says so. */
  probe(question: SimulatedProbe): Promise<SimulatedProbeAnswer>;
  readonly devicePlugins: SimulatedDevicePlugins;
}

export interface SimulatedProbe {
  /** As the runtime names it. */
  readonly containerId: string;
  readonly kind: "liveness" | "readiness" | "startup";
  /** Undefined for other handlers than exec. */
  readonly command?: readonly string[];
  readonly timeoutMilliseconds: number;
}

export interface SimulatedProbeAnswer {
  readonly result: "success" | "warning" | "failure" | "unknown";
  readonly output: string;
  /** The attempt came to no verdict. */
  readonly error?: string;
}

/** Device plugins of the simulated node, by the resource that they have. */
export interface SimulatedDevicePlugins {
  /** Calls back for each plugin that is there, at once, and for each that comes; it rejects when the plugin is refused. Returns what ends that. */
  serve(register: (plugin: SimulatedDevicePlugin) => Promise<void>): () => void;
}

export interface SimulatedDevicePlugin {
  readonly resource: string;
  /** Calls back with the whole list, at once and after each change; `gone` when the plugin ends. Returns what ends that. */
  watch(on: { reported(devices: readonly SimulatedDevice[]): void; gone(): void }): () => void;
  /** What a container gets for these devices. Rejects with the plugin's error. */
  allocate(ids: readonly string[]): Promise<{ readonly envs: Readonly<Record<string, string>> }>;
}

export interface SimulatedDevice {
  readonly id: string;
  /** `Healthy`, or any other word. */
  readonly health: string;
  /** NUMA nodes it is near to; empty without topology. */
  readonly nodes: readonly number[];
}
