/** What the life of pods needs of the agent. */
import { closeSync, constants, openSync, readFileSync } from "node:fs";
import path from "node:path";
import type { AgentConfig } from "../config/types.js";
import { ImageManager } from "../images/ensure-image.js";
import { errno } from "../lib/errno.js";
import { RankedSlots } from "../lib/ranked-slots.js";
import type { Node } from "../node/node.js";
import type { ProviderRegistry } from "../plugin/providers.js";
import { HandlerRunner, type HttpGet } from "../pod/life/handlers.js";
import { ProvidedVolumes } from "../pod/life/provided-volumes.js";
import type { StepPorts } from "../pod/life/steps.js";
import { PodValues } from "../pod/life/values.js";
import type { VolumeCalls } from "../pod/life/volume-calls.js";
import { PodVolumes } from "../pod/life/volumes.js";
import { SharedLists } from "../runtime/shared-lists.js";
import type { TerminationMemory } from "./termination-memory.js";

/** Sandboxes and containers made at the same moment: more only make each other slow on a node's few cores. */
const STARTS_AT_ONCE = 8;
/** Of these: while all slots make sandboxes no container of a pod that is nearly done starts. */
const SANDBOXES_AT_ONCE = 4;

export interface PodPortsParts
  extends Pick<StepPorts, "clock" | "log" | "runtime" | "hooks" | "events" | "metrics" | "report"> {
  readonly config: AgentConfig;
  readonly node: Node;
  readonly httpGet: HttpGet;
  readonly memory: TerminationMemory;
  readonly providers: ProviderRegistry;
  readonly volumeCalls: VolumeCalls;
}

/** All but the admission, which the manager of the pods adds: it knows the other pods. */
export type PodPorts = Omit<StepPorts, "admit"> & { readonly images: ImageManager };

export function podPorts(parts: PodPortsParts): PodPorts {
  const { config, node, httpGet, memory, providers, volumeCalls, ...shared } = parts;
  const { clock, runtime, events } = shared;
  return {
    ...shared,
    lists: new SharedLists(runtime),
    images: new ImageManager({ clock, runtime, events, providers, maxParallelPulls: parallelPulls(config) }),
    handlers: new HandlerRunner({
      clock,
      runtime,
      httpGet,
      sleepTerminatedEarly: () => shared.metrics.sleepTerminatedEarly(),
    }),
    volumes: new PodVolumes(config.rootDir, {
      provided: new ProvidedVolumes(providers, clock),
      calls: volumeCalls,
      allocatableMemory: () => node.allocatable().memory,
    }),
    values: new PodValues(providers, clock),
    node: {
      name: node.name,
      ip: node.ip,
      clusterDNS: config.node.clusterDNS,
      clusterDomain: config.node.clusterDomain,
      allocatable: () => node.allocatable(),
      resolvConf: async () => textOf(config.node.resolvConf),
      hosts: async () => textOf("/etc/hosts"),
    },
    podLogsDir: config.node.podLogsDir ?? runtime.podLogsDir ?? path.join(config.rootDir, "logs"),
    remember: (uid, cause) => memory.remember(uid, cause),
    startSlots: new RankedSlots(STARTS_AT_ONCE),
    sandboxSlots: new RankedSlots(SANDBOXES_AT_ONCE, { opening: 1 }),
  };
}

function parallelPulls({ node }: AgentConfig): number {
  if (node.serializeImagePulls) return 1;
  return node.maxParallelImagePulls ?? Number.POSITIVE_INFINITY;
}

/** Small files, mostly in memory: another thread would cost more than reading them. A FIFO is empty, it is not waited for. */
function textOf(path: string): string {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return readFileSync(file, "utf8");
  } catch (error) {
    if (errno(error) === "ENOENT") return "";
    throw error;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
