import type { Checkpoint, Clock, Decision, Host, Json, NodePort, PluginRuntime, PodsPort } from "@hooklet/core";
import {
  createPluginRuntime,
  type GuardedHooks,
  type HostPorts,
  MetricRegistries,
  type PluginRuntimeParts,
  type PodSource,
  ProviderRegistry,
  RuntimeError,
} from "@hooklet/core/host";
import { pino } from "pino";
import { TestObjects } from "./objects.js";
import type { RecordedEvent } from "./records.js";

/** What a plugin said and kept; it outlives a restart of the plugin. */
export class PluginRecords {
  readonly events: RecordedEvent[] = [];
  readonly decisions: Decision[] = [];
  readonly checkpoints = new Map<string, Json>();
  /** Sources that the plugin added; nobody has started them. */
  readonly sources: PodSource[] = [];
  /** What its pods take from the API. */
  readonly objects = new TestObjects();
  /** What it provides. */
  providers = new ProviderRegistry();
}

export interface TestPorts {
  readonly clock: Clock;
  readonly guard: GuardedHooks;
  readonly runtime: PluginRuntime;
  readonly pods: PodsPort;
  node(plugin: string): NodePort;
  readonly host: Host;
  onError(error: Error): void;
}

/** The host's ports, with events, decisions and checkpoints kept in memory. */
export function hostPorts({ pods, ...ports }: TestPorts, records: PluginRecords): HostPorts {
  const { clock } = ports;
  const { events, decisions, checkpoints } = records;
  return {
    ...ports,
    pods: () => pods,
    objects: records.objects,
    addSource: (_, source) => void records.sources.push(source),
    provide: (plugin) => records.providers.forPlugin(plugin),
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
    onTimerError: (_plugin, error) => ports.onError(error as Error),
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

/** The runtime as plugins have it: their calls are noted in `calls`, and refused while `broken()`. */
export function pluginRuntime(parts: PluginRuntimeParts, broken: () => boolean, calls: string[]): PluginRuntime {
  const refused = new RuntimeError("unavailable", "the runtime is broken by the test");
  return new Proxy(createPluginRuntime(parts), {
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== "function" || key === "heldImages") return member;
      return (...args: readonly unknown[]) => {
        calls.push(String(key));
        return broken() ? Promise.reject(refused) : Reflect.apply(member, target, args);
      };
    },
  });
}
