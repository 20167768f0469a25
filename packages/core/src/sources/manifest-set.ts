/** The pods of a folder of manifests, and the file that each of them runs from. Pure. */
import { namespacedName, type Pod } from "@hooklet/manifest";
import type { SourceFault } from "./port.js";

/** What is known of a file. */
export interface Entry {
  readonly stamp: string;
  /** The last good pods: they run on while the file is faulty. */
  readonly pods: readonly Pod[];
  readonly fault?: SourceFault;
  /** It has been faulty since, and that is reported from `faultFrom` on (both monotonic). */
  readonly faultSince: number;
  readonly faultFrom: number;
}

/** By path, in the order of the names. */
export type Entries = ReadonlyMap<string, Entry>;

/** The file of each pod, by all that no two pods may share. */
export type Owners = Map<string, string>;

export interface ManifestSet {
  readonly pods: readonly Pod[];
  /** By path. */
  readonly faults: ReadonlyMap<string, SourceFault>;
  readonly owners: Owners;
}

/** A later file does not take a pod from the file that it runs from; a new pod belongs to the first file by name. */
export function wholeSet(entries: Entries, before: Owners, now: number): ManifestSet {
  const faults = new Map<string, SourceFault>();
  const pods: Pod[] = [];
  const owners = ownersThatStay(entries, before);
  const taken = new Set<string>();
  for (const [path, { pods: own, fault, faultFrom }] of entries) {
    if (fault !== undefined && faultFrom <= now) faults.set(path, fault);
    for (const pod of own) {
      const keys = keysOf(pod);
      const other = keys.find((key) => taken.has(key) || (owners.get(key) ?? path) !== path);
      if (other === undefined) {
        pods.push(pod);
        for (const key of keys) {
          owners.set(key, path);
          taken.add(key);
        }
      } else if (!faults.has(path)) {
        const message = `${other} is already in ${owners.get(other)}; it runs from there, rename or remove one of the two`;
        faults.set(path, { where: path, message });
      }
    }
  }
  return { pods, faults, owners };
}

/** The pods of these files that have no owner yet; from now on the files own them. */
export function takeUnowned(paths: readonly string[], entries: Entries, owners: Owners): readonly Pod[] {
  const found: Pod[] = [];
  for (const path of paths) {
    for (const pod of entries.get(path)?.pods ?? []) {
      const keys = keysOf(pod);
      if (keys.some((key) => owners.has(key))) continue;
      for (const key of keys) owners.set(key, path);
      found.push(pod);
    }
  }
  return found;
}

export function sameSet(a: readonly Pod[], b: readonly Pod[]): boolean {
  return a.length === b.length && a.every((pod, i) => pod === b[i]);
}

function ownersThatStay(entries: Entries, before: Owners): Owners {
  const stay: Owners = new Map();
  for (const [path, { pods }] of entries) {
    for (const key of pods.flatMap(keysOf)) if (before.get(key) === path) stay.set(key, path);
  }
  return stay;
}

/** What no two pods may share. */
function keysOf({ metadata }: Pod): readonly string[] {
  return [`pod ${namespacedName(metadata)}`, `uid ${metadata.uid}`];
}
