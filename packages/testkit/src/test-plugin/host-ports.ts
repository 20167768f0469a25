import type { Checkpoint, Clock, Decision, Json, NodePort, PluginRuntime, PodsPort } from "@hooklet/core";
import { type GuardedHooks, type HostPorts, MetricRegistries, type Runtime, RuntimeError } from "@hooklet/core/host";
import { pino } from "pino";
import type { RecordedEvent } from "./records.js";

/** What a plugin said and kept; it outlives a restart of the plugin. */
export class PluginRecords {
  readonly events: RecordedEvent[] = [];
  readonly decisions: Decision[] = [];
  readonly checkpoints = new Map<string, Json>();
}

export interface TestPorts {
  readonly clock: Clock;
  readonly guard: GuardedHooks;
  readonly runtime: PluginRuntime;
  readonly pods: PodsPort;
  readonly node: NodePort;
  onError(error: Error): void;
}

/** The host's ports, with events, decisions and checkpoints kept in memory. */
export function hostPorts({ pods, ...ports }: TestPorts, records: PluginRecords): HostPorts {
  const { clock } = ports;
  const { events, decisions, checkpoints } = records;
  return {
    ...ports,
    pods: () => pods,
    events: {
      pod: (pod, type, reason, message, container) =>
        void events.push({
          at: clock.now(),
          pod: pod.metadata.name,
          ...(container === undefined ? {} : { container }),
          type,
          reason,
          message,
        }),
      node: (type, reason, message) => void events.push({ at: clock.now(), type, reason, message }),
    },
    decisions: (plugin) => ({
      record: (decision) => void decisions.push({ at: clock.now(), plugin, ...decision }),
    }),
    metrics: new MetricRegistries(clock, (_, error) => ports.onError(error as Error)),
    log: pino({ level: "silent" }),
    checkpoint: (plugin, name) => memoryCheckpoint(checkpoints, `${plugin}/${name}`),
  };
}

function memoryCheckpoint(checkpoints: Map<string, Json>, key: string): Checkpoint {
  return {
    read: async () => checkpoints.get(key),
    write: async (value) => {
      // As a file would: what is not JSON does not survive.
      checkpoints.set(key, JSON.parse(JSON.stringify(value)) as Json);
    },
  };
}

/** The part of the runtime that plugins may use; while `broken()` every call is refused. */
export function pluginRuntime(runtime: Runtime, broken: () => boolean): PluginRuntime {
  const via =
    <Arguments extends readonly unknown[], T>(call: (...args: Arguments) => Promise<T>) =>
    (...args: Arguments): Promise<T> =>
      broken() ? Promise.reject(new RuntimeError("unavailable", "the runtime is broken by the test")) : call(...args);
  return {
    name: runtime.name,
    containerStatus: via((id) => runtime.containerStatus(id)),
    execSync: via((id, command, timeout) => runtime.execSync(id, command, timeout)),
    updateContainerResources: via((id, resources) => runtime.updateContainerResources(id, resources)),
    listImages: via(() => runtime.listImages()),
    removeImage: via((image) => runtime.removeImage(image)),
    imageFsInfo: via(() => runtime.imageFsInfo()),
    listContainerStats: via(() => runtime.listContainerStats()),
  };
}
