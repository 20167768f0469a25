/** The runtime as plugins may use it: all that reads, and what removes the dead. */
import type { Clock } from "@hooklet/utils";
import type { ImageLeases } from "../images/leases.js";
import type { Host, PluginRuntime, RuntimeFacts } from "../plugin/contract.js";
import type { IsolationFact, Runtime } from "../runtime/port.js";
import { fileSystems } from "./file-systems.js";
import { removeDeadContainer, removeDeadSandbox } from "./remove-dead.js";

export interface PluginRuntimeParts {
  readonly runtime: Runtime;
  readonly leases: ImageLeases;
  readonly host: Pick<Host, "statfs">;
  readonly clock: Clock;
  readonly rootDir: string;
  readonly podLogsDir: string;
}

export function createPluginRuntime(parts: PluginRuntimeParts): PluginRuntime {
  const { runtime, leases, podLogsDir } = parts;
  const guarded = leases.guard(runtime);
  return {
    name: runtime.name,
    health: () => runtime.health(),
    facts: () => facts(runtime, podLogsDir),
    listSandboxes: () => runtime.listSandboxes(),
    listContainers: () => runtime.listContainers(),
    containerStatus: (id) => runtime.containerStatus(id),
    execSync: (id, command, timeoutSeconds) => runtime.execSync(id, command, timeoutSeconds),
    updateContainerResources: (id, resources) => runtime.updateContainerResources(id, resources),
    listImages: () => runtime.listImages(),
    imageStatus: (image) => runtime.imageStatus(image),
    removeImage: (image, runtimeHandler) => guarded.removeImage(image, runtimeHandler),
    heldImages: () => leases.held(),
    removeDeadContainer: (id) => removeDeadContainer(parts, id),
    removeDeadSandbox: (id) => removeDeadSandbox(parts, id),
    fileSystems: () => fileSystems(parts),
    listContainerStats: () => runtime.listContainerStats(),
  };
}

async function facts(runtime: Runtime, podLogsDir: string): Promise<RuntimeFacts> {
  const info = await runtime.info();
  const { runtimeName, runtimeVersion, sandboxImage, cgroupDriver, runtimeHandlers = [""], isolation } = info;
  return {
    runtimeName,
    runtimeVersion,
    ...(sandboxImage !== undefined && { sandboxImage }),
    ...(cgroupDriver !== undefined && { cgroupDriver }),
    podLogsDir,
    podNetworks: keeps(isolation, "network"),
    cgroups: keeps(isolation, "cgroups"),
    runtimeHandlers,
  };
}

/** Unless the runtime says that it does not. */
function keeps(isolation: readonly IsolationFact[], what: string): boolean {
  return isolation.every((fact) => fact.what !== what || fact.isolated !== "no");
}
