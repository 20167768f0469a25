/** The runtime as plugins may use it: all that reads, and what removes the dead. */

import type { Clock } from "@hooklet/utils";
import type { ImageLeases } from "../images/leases.js";
import type { FileSystem, Host, NodeFileSystems, PluginRuntime, RuntimeFacts } from "../plugin/contract.js";
import type { IsolationFact, Runtime, RuntimeFileSystem } from "../runtime/port.js";
import { removeDeadContainer, removeDeadSandbox } from "./remove-dead.js";

interface PluginRuntimeParts {
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

/** The file systems of the node, joined from what the runtime and the host report. */
interface FileSystemsPorts {
  readonly runtime: Pick<Runtime, "imageFsInfo">;
  readonly host: Pick<Host, "statfs">;
  readonly clock: Clock;
  readonly rootDir: string;
}

/** Rejects when one of the three cannot be read: a guess would remove images or pods for nothing. */
async function fileSystems({ runtime, host, clock, rootDir }: FileSystemsPorts): Promise<NodeFileSystems> {
  const ask = async (mountpoint: string): Promise<FileSystem> => ({
    mountpoint,
    ...(await host.statfs(mountpoint)),
    at: clock.now(),
  });
  const ofRuntime = async (info: RuntimeFileSystem): Promise<FileSystem> => {
    const { mountpoint, usedBytes, inodesUsed } = info;
    const own = sizeOf(info);
    const size = own === undefined ? await ask(mountpoint) : { mountpoint, ...own, at: clock.now() };
    return { ...size, usedBytes, inodesUsed };
  };
  const ofImages = async (): Promise<Omit<NodeFileSystems, "node">> => {
    const { container, ...images } = await runtime.imageFsInfo();
    const image = await ofRuntime(images);
    return { image, container: container === undefined ? image : await ofRuntime(container) };
  };
  const [node, images] = await Promise.all([ask(rootDir), ofImages()]);
  return { node, ...images };
}

/** Size and free space as the runtime reports them. */
function sizeOf(info: RuntimeFileSystem): Omit<FileSystem, "mountpoint" | "at"> | undefined {
  const { device, mountpoint, capacityBytes, availableBytes, inodes, inodesFree } = info;
  if (capacityBytes === undefined || availableBytes === undefined) return undefined;
  return {
    device: device ?? mountpoint,
    capacityBytes,
    availableBytes,
    ...(inodes !== undefined && { inodes }),
    ...(inodesFree !== undefined && { inodesFree }),
  };
}
