/** Places in a volume where a container mounts another one: a read-only volume has to hold them (MakeNestedMountpoints). Pure. */
import path from "node:path";
import type { Pod } from "@hooklet/core";

/** Folders below the volume, relative, each once. */
export function nestedMountpoints({ spec }: Pod, volume: string): readonly string[] {
  const containers = [...(spec.initContainers ?? []), ...spec.containers];
  const found = containers.flatMap(({ volumeMounts = [] }) => {
    const all = volumeMounts.map(({ mountPath }) => cleaned(mountPath)).sort();
    const own = volumeMounts.flatMap(({ name, mountPath }) => (name === volume ? cleaned(mountPath) : []));
    return own.flatMap((at) =>
      outermost(all.filter((one) => one.startsWith(`${at}/`))).map((one) => one.slice(at.length + 1)),
    );
  });
  return [...new Set(found)];
}

/** Without a slash at the end. The API lets paths through that are not absolute: the kubelet takes them from the root. */
function cleaned(mountPath: string): string {
  return path.posix.resolve("/", mountPath).replace(/\/$/, "");
}

/** Of sorted paths those that lie in no other. */
function outermost(sorted: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (const one of sorted) {
    const last = kept.at(-1);
    if (last === undefined || !one.startsWith(`${last}/`)) kept.push(one);
  }
  return kept;
}
