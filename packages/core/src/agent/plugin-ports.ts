/** The runtime and the pods as plugins may use them. */

import type { IsolationFact, Runtime, RuntimeFileSystem } from "@hooklet/cri-api";
import type { Clock } from "@hooklet/utils";
import type { ImageLeases } from "../images/leases.js";
import type { FileSystem, Host, NodeFileSystems, PluginRuntime, PodsPort, RuntimeFacts } from "../plugin/contract.js";
import type { Evictions } from "../pod/life/evictions.js";
import type { PodDirectories } from "../pod/life/pod-directories.js";
import type { PodManager } from "../pod/life/pod-manager.js";
import type { PodVolumes } from "../pod/life/volumes.js";
import { removeDeadContainer, removeDeadSandbox } from "./remove-dead.js";

// The runtime: all that reads, and what removes the dead.

interface PluginRuntimeParts {
  /** Refuses to remove images that are about to be used. */
  readonly runtime: Runtime;
  readonly leases: Pick<ImageLeases, "held">;
  readonly host: Pick<Host, "statfs">;
  readonly clock: Clock;
  readonly rootDir: string;
  readonly podLogsDir: string;
}

export function createPluginRuntime(parts: PluginRuntimeParts): PluginRuntime {
  const { runtime, leases, podLogsDir } = parts;
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
    removeImage: (image, runtimeHandler) => runtime.removeImage(image, runtimeHandler),
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

// The file systems of the node, joined from what the runtime and the host report.

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

// The pods.

interface PluginPodsParts {
  readonly manager: PodManager;
  readonly evictions: Evictions;
  sourcesReady(): boolean;
  readonly volumes: Pick<PodVolumes, "emptyDirs">;
  readonly directories: Pick<PodDirectories, "list" | "look" | "remove">;
  report(where: string, error: unknown): void;
}

/** The pods as one plugin moves them: evictions carry its name, and what it does wrong in a listener stays its own. */
export function podsFor(plugin: string, parts: PluginPodsParts): PodsPort {
  const { manager, evictions, volumes, directories, sourcesReady, report } = parts;
  const safely = <T>(what: string, otherwise: T, call: () => T): T => {
    try {
      return call();
    } catch (error) {
      report(`${what} of plugin ${plugin}`, error);
      return otherwise;
    }
  };
  return {
    list: () => manager.list(),
    get: (uid) => manager.get(uid),
    active: () => manager.active(),
    sourcesReady,
    awaited: () => manager.awaited(),
    evict: (uid, eviction) => evictions.evict(uid, eviction, plugin),
    setContainerReady: (ref, ready) => manager.overrides.setContainerReady(ref, ready),
    setContainerStarted: (ref, started) => manager.overrides.setContainerStarted(ref, started),
    setAppliedResources: (ref, resources) => manager.overrides.setAppliedResources(ref, resources),
    setAllocatedResourcesStatus: (ref, status) => manager.overrides.setAllocatedResourcesStatus(ref, status, plugin),
    setCondition: (uid, type, condition) => manager.overrides.setCondition(uid, type, condition),
    watch: (listener) => manager.watch((uid, pod) => safely("watch of pods", undefined, () => listener(uid, pod))),
    onUpdate: (applies) =>
      manager.onUpdate((before, after) => safely("update of a pod", false, () => applies(before, after) === true)),
    restartContainer: (ref, restart) => manager.restartContainer(ref, restart),
    volumeDirectories: (uid) => volumes.emptyDirs(manager.get(uid)),
    directories: () => directories.list(),
    directory: (uid) => directories.look(uid),
    removeDirectory: (uid) => directories.remove(uid),
    running: (ref) => manager.running(ref),
  };
}
