import { afterStart, type Clock, invalid, type NodeAgentError } from "@hooklet/utils";
import type { Logger } from "pino";
import type { GuardedHooks } from "../hooks/guard.js";
import type { PodSource } from "../sources/port.js";
import type {
  Checkpoint,
  DecisionRecorder,
  EventRecorder,
  Host,
  NodeContext,
  NodePort,
  ObjectsPort,
  PluginRuntime,
  PodsPort,
  Providers,
  World,
} from "./contract.js";
import type { MetricRegistries } from "./metrics.js";

/** What the agent gives to the host of its plugins. */
export interface HostPorts {
  readonly clock: Clock;
  readonly guard: GuardedHooks;
  readonly runtime: PluginRuntime;
  /** The pods as one plugin moves them: evictions carry its name. */
  pods(plugin: string): PodsPort;
  /** The node as one plugin sees it: what it sets there carries its name. */
  node(plugin: string): NodePort;
  readonly objects: ObjectsPort;
  readonly host: Host;
  readonly world: World;
  readonly events: EventRecorder;
  decisions(plugin: string): DecisionRecorder;
  readonly metrics: MetricRegistries;
  readonly log: Logger;
  /** Takes a source of pods in. @throws NodeAgentError PLUGIN_START */
  addSource(plugin: string, source: PodSource): void;
  provide(plugin: string): Providers;
  /** One state file for each pair of names; both are checked to be plain file names. */
  checkpoint(plugin: string, name: string): Checkpoint;
  /** What one of a plugin's timers threw. */
  onTimerError(plugin: string, error: unknown): void;
  /** Errors of a plugin outside of any hook: PLUGIN_STOP. */
  onError(error: NodeAgentError): void;
  /** View names that the core has itself. */
  readonly reservedViews: readonly string[];
}

const PROVIDE = [
  "values",
  "volumes",
  "credentials",
  "readinessGates",
  "objects",
  "reviews",
  "servingCertificate",
] as const;
const CHECKPOINT_NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/** All that one plugin can do. */
export function nodeContext(plugin: string, ports: HostPorts, signal: AbortSignal): NodeContext {
  const forStart = <T extends object>(port: T, prefix: string, methods: readonly (keyof T & string)[]): T =>
    startOnly(port, methods, { plugin, prefix, isOpen: () => ports.guard.isOpen(plugin) });
  const sources = forStart({ addSource: (source: PodSource) => ports.addSource(plugin, source) }, "", ["addSource"]);
  return {
    plugin,
    hooks: ports.guard.forPlugin(plugin),
    clock: clockOf(plugin, ports),
    runtime: ports.runtime,
    pods: forStart(ports.pods(plugin), "pods.", ["onUpdate"]),
    node: forStart(ports.node(plugin), "node.", ["provideStatistics", "provideCgroups", "offerReclaim", "offerHints"]),
    objects: ports.objects,
    host: ports.host,
    world: ports.world,
    events: ports.events,
    decisions: ports.decisions(plugin),
    metrics: forStart(ports.metrics.forOwner(plugin), "metrics.", ["counter", "gauge", "histogram", "collect"]),
    log: ports.log.child({ plugin }),
    checkpoint(name) {
      if (typeof name !== "string" || !CHECKPOINT_NAME.test(name)) {
        throw invalid(`name of a checkpoint of plugin "${plugin}"`, "lower-case letters, digits, - and _", name);
      }
      return ports.checkpoint(plugin, name);
    },
    addSource: (source) => sources.addSource(source),
    provide: forStart(ports.provide(plugin), "provide.", PROVIDE),
    signal,
  };
}

/** Time, whose timers keep what the plugin's callbacks throw from the agent. */
function clockOf(plugin: string, { clock, onTimerError }: HostPorts): Clock {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    schedule: (milliseconds, run) =>
      clock.schedule(milliseconds, () => {
        try {
          run();
        } catch (error) {
          onTimerError(plugin, error);
        }
      }),
  };
}

// What a plugin may register in its start only: core reads it before the first pod is admitted.

/**
 * `port` with these of its methods for `start` only: later they throw PLUGIN_START, naming `prefix` and method, and change
 * nothing.
 */
function startOnly<T extends object>(
  port: T,
  methods: readonly (keyof T & string)[],
  { plugin, prefix, isOpen }: { readonly plugin: string; readonly prefix: string; readonly isOpen: () => boolean },
): T {
  const closing: readonly unknown[] = methods;
  return new Proxy(port, {
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== "function") return member;
      if (closing.includes(key) && !isOpen()) {
        const call = `${prefix}${String(key)}`;
        return () => {
          throw afterStart(plugin, call);
        };
      }
      return member.bind(target) as unknown;
    },
  });
}
