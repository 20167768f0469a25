/** The file systems of the node, joined from what the runtime and the host report. */
import type { Clock } from "@hooklet/utils";
import type { FileSystem, Host, NodeFileSystems } from "../plugin/contract.js";
import type { Runtime, RuntimeFileSystem } from "../runtime/port.js";

export interface FileSystemsPorts {
  readonly runtime: Pick<Runtime, "imageFsInfo">;
  readonly host: Pick<Host, "statfs">;
  readonly clock: Clock;
  readonly rootDir: string;
}

/** Rejects when one of the three cannot be read: a guess would remove images or pods for nothing. */
export async function fileSystems({ runtime, host, clock, rootDir }: FileSystemsPorts): Promise<NodeFileSystems> {
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
