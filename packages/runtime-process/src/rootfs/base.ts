/** The root file system of a container before volumes: which layers, mounted how. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { LayerFolders } from "./layer-folders.js";
import { machineMounts } from "./machine-mounts.js";
import { machineTree } from "./machine-tree.js";
import { readMounts } from "./mountinfo.js";
import type { RootBase, RootSource } from "./types.js";
import { type Layer, RootView } from "./view.js";

/**
 * As root the machine's `/` (or the image) is the lower layer of one overlay. In a user namespace the kernel refuses `/` as a lower layer
 * (its submounts are locked), so each of its top-level folders gets an overlay of its own.
 */
export function makeRoot(source: RootSource): RootBase {
  if (source.image === undefined && source.userNamespace) return machineTree(source);
  const lower = source.image ?? "/";
  const root = join(source.folder, "root");
  mkdirSync(root, { mode: 0o755 });
  const layers = new LayerFolders(source.folder, source.userNamespace);
  const first = layers.add({ at: "/", lower }, root);
  if (source.image !== undefined) return { root, view: new RootView([first]), entries: layers.entries };
  const mounts = readMounts();
  const hides = mounts.map(({ mountPoint }) => mountPoint).filter((mountPoint) => mountPoint !== "/");
  const shown: Layer[] = machineMounts(mounts).map((mount) => layers.addMount(mount, root));
  const all = [first, ...shown].map((layer) => ({
    ...layer,
    hides: hides.filter((mountPoint) => mountPoint.startsWith(layer.at === "/" ? "/" : `${layer.at}/`)),
  }));
  return { root, view: new RootView(all), entries: layers.entries };
}
