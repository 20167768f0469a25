/** The root file system of a container before volumes: which layers, mounted how. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { LayerFolders, machineMounts, machineTree } from "./machine-tree.js";
import { makeMountPoint } from "./mount-points.js";
import type { RootBase, RootSource } from "./types.js";
import { type Layer, RootView } from "./view.js";

/**
 * As root the machine's `/` (or the image) is the lower layer of one overlay. In a user namespace the kernel refuses `/` as a
 * lower layer (its submounts are locked), so each of its top-level folders gets a separate overlay.
 */
export function makeRoot(source: RootSource): RootBase {
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
