/** Everything that is mounted for one container, in order, and the view of the result. */

import { mkdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Mount } from "@hooklet/core";
import { type ContainerConfig, RuntimeError } from "@hooklet/core/host";
import type { MountedFs } from "@hooklet/linux";
import { isMissing } from "../state-text.js";
import { bind, encodeFstab, type FstabEntry, type OverlayStyle, rbind, reflag } from "./fstab.js";
import { LayerFolders, machineMounts, machineTree, type RootBase, type RootSource } from "./machine-tree.js";
import { makeMountPoint } from "./mount-points.js";
import { reachOf } from "./reach.js";
import { type OwnKernelFs, systemMounts, terminalsForExec } from "./system-mounts.js";
import { type Layer, type LowerStats, RootView } from "./view.js";
import { type Reaches, type VolumeMount, volumeMount } from "./volume-mounts.js";

export interface AssembleInput extends Omit<OverlayStyle, "withoutDevices">, OwnKernelFs {
  readonly folder: string;
  readonly image?: string;
  readonly config: ContainerConfig;
  readonly workingDir: string;
  /** The pod's files and folders. */
  readonly shm: string;
  readonly etc: readonly { readonly path: string; readonly source: string }[];
  readonly shownMounts: ReadonlySet<string>;
  /** What the machine has mounted. */
  readonly host: readonly MountedFs[];
  /** The lower layer of /dev. */
  readonly devTemplate: string;
  readonly lowerStats: LowerStats;
  /** An empty folder, shown in place of what is masked. */
  readonly empty: string;
}

interface AssembledRoot {
  readonly root: string;
  readonly view: RootView;
  readonly fstab: string;
}

/**
 * Creates the container's layers and mount points below `folder`; nothing is mounted yet.
 * Throws `invalid-argument` naming the mount that cannot be made.
 */
export function assembleRoot(input: AssembleInput): AssembledRoot {
  const { config } = input;
  const security = config.linux.securityContext;
  const mounts = sortMounts([...podFiles(input), ...config.mounts]);
  const needed = [input.workingDir, ...mounts.map((mount) => mount.containerPath)];
  const { host } = input;
  const reaches = reachOf(host, input);
  const base = makeRoot({
    ...input,
    needed,
    mounts: host,
    reaches,
    withoutDevices: !security.privileged && !input.userNamespace,
  });
  const entries = [...base.entries];
  entries.push(
    ...systemMounts(base, {
      ...input,
      mounts: host,
      reaches,
      privileged: security.privileged,
      devices: config.devices,
    }),
  );
  entries.push(...volumes(base, mounts, host, { privileged: security.privileged, reaches }));
  makeWorkingDir(base, input.workingDir);
  if (!security.privileged) entries.push(...hidden(base, security, input));
  if (security.readonlyRootfs) {
    entries.push(reflag(base.root, "ro", ...(security.privileged || input.userNamespace ? [] : ["nodev"])));
  }
  if (input.ownTerminals) entries.push(...terminalsForExec(base.root));
  return { root: base.root, view: base.view, fstab: encodeFstab(entries) };
}

/** resolv.conf and hostname, unless the pod mounts its own. */
function podFiles({ etc, config }: AssembleInput): Mount[] {
  const taken = new Set(config.mounts.map((mount) => mount.containerPath));
  return etc
    .filter(({ path }) => !taken.has(path))
    .map(({ path, source }) => ({
      containerPath: path,
      hostPath: source,
      readonly: false,
      selinuxRelabel: false,
      propagation: "PRIVATE",
    }));
}

/** Parents first; otherwise in the given order. */
function sortMounts(mounts: readonly Mount[]): Mount[] {
  const depth = (mount: Mount): number => mount.containerPath.split("/").filter((part) => part !== "").length;
  return [...mounts].sort((a, b) => depth(a) - depth(b));
}

function volumes(
  base: RootBase,
  mounts: readonly Mount[],
  host: readonly MountedFs[],
  how: { readonly privileged: boolean; readonly reaches: Reaches },
): FstabEntry[] {
  const made: (VolumeMount & { readonly path: string })[] = [];
  const reopened: FstabEntry[] = [];
  for (const mount of mounts) {
    const real = realSource(mount);
    const path = makeMountPoint(base.view, mount.containerPath, statSync(real).isDirectory() ? "directory" : "file");
    if (path === "/") throw new RuntimeError("invalid-argument", `cannot mount ${mount.hostPath} on /`);
    // Other containers may write in a volume that is mounted on: no link of theirs may lead this mount elsewhere.
    for (const [index, parent] of made.entries()) {
      const { entry, flags } = parent;
      if (!path.startsWith(`${parent.path}/`) || entry.options.includes("nosymfollow")) continue;
      made[index] = { ...parent, entry: { ...entry, options: [...entry.options, "nosymfollow"] } };
      reopened.push(reflag(entry.target, ...flags, "symfollow"));
    }
    made.push({ ...volumeMount(host, mount, real, join(base.root, path), how), path });
    base.view.mount(path, real);
  }
  return [...made.flatMap(({ entry, below }) => [entry, ...below]), ...reopened];
}

/** The source without links: what the machine has mounted is known by such paths. */
function realSource({ hostPath, containerPath }: Mount): string {
  try {
    return realpathSync.native(hostPath);
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new RuntimeError(
      "invalid-argument",
      `cannot mount ${hostPath} on ${containerPath}: ${hostPath} is not there`,
    );
  }
}

/** A working directory that is not there is made, as runc does. */
function makeWorkingDir(base: RootBase, path: string): void {
  const resolved = base.view.resolve(path);
  if (resolved.stat === undefined) {
    makeMountPoint(base.view, path, "directory");
  } else if (!resolved.stat.isDirectory()) {
    throw new RuntimeError("invalid-argument", `working directory ${path} is not a directory`);
  }
}

/** Masked paths show nothing, read-only paths refuse writes; paths that are not there are left out. */
function hidden(
  base: RootBase,
  security: ContainerConfig["linux"]["securityContext"],
  input: AssembleInput,
): FstabEntry[] {
  const entries: FstabEntry[] = [];
  for (const path of security.maskedPaths) {
    const { stat, path: real } = base.view.resolve(path);
    if (stat === undefined) continue;
    entries.push(bind(stat.isDirectory() ? input.empty : "/dev/null", join(base.root, real), "ro"));
  }
  for (const path of security.readonlyPaths) {
    const { host, path: real } = base.view.resolve(path);
    if (host === undefined) continue;
    const target = join(base.root, real);
    // In a user namespace what is mounted below a folder of the machine cannot be left out.
    const again = input.userNamespace ? rbind : bind;
    entries.push(again(target, target, "ro", "nosuid", "nodev", "noexec"));
  }
  return entries;
}

// The root file system of a container before volumes: which layers, mounted how.

/**
 * As root the machine's `/` (or the image) is the lower layer of one overlay. In a user namespace the kernel refuses `/` as a
 * lower layer (its submounts are locked), so each of its top-level folders gets a separate overlay.
 */
function makeRoot(source: RootSource): RootBase {
  const root = join(source.folder, "root");
  mkdirSync(root, { mode: 0o755 });
  const folders = new LayerFolders(source.folder, source);
  const layers = rootLayers(source, folders, root);
  makeMountPoint(new RootView(layers, source.lowerStats), "/dev", "directory");
  layers.push(folders.add({ at: "/dev", lower: source.devTemplate }, join(root, "dev")));
  return { root, view: new RootView(layers, source.lowerStats), entries: folders.entries };
}

function rootLayers(source: RootSource, folders: LayerFolders, root: string): Layer[] {
  if (source.image !== undefined) return [folders.add({ at: "/", lower: source.image }, root)];
  const { mounts } = source;
  if (source.userNamespace) return machineTree(source, folders, root, mounts);
  const hides = mounts.map(({ mountPoint }) => mountPoint).filter((mountPoint) => mountPoint !== "/");
  const layers = [folders.add({ at: "/", lower: "/" }, root)];
  layers.push(
    ...machineMounts(mounts.filter(({ mountPoint }) => source.shownMounts.has(mountPoint))).map((mount) =>
      folders.addMount(mount, root),
    ),
  );
  return layers.map((layer) => ({
    ...layer,
    hides: hides.filter((mountPoint) => mountPoint.startsWith(layer.at === "/" ? "/" : `${layer.at}/`)),
  }));
}
