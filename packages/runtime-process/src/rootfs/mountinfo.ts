/** /proc/self/mountinfo. */
import { readFileSync } from "node:fs";

export interface MountedFs {
  readonly mountPoint: string;
  readonly type: string;
  readonly readonly: boolean;
  /** Options of the file system itself, for example the controllers of a cgroup hierarchy. */
  readonly superOptions: readonly string[];
}

/** Mounts in the order they were made. A later one on the same place hides the earlier one. */
export function parseMountinfo(text: string): MountedFs[] {
  const found: MountedFs[] = [];
  for (const line of text.split("\n")) {
    const [before, after] = line.split(" - ");
    const mountPoint = before?.split(" ")[4];
    const options = before?.split(" ")[5];
    const [type, , superOptions] = after?.split(" ") ?? [];
    if (mountPoint === undefined || type === undefined) continue;
    found.push({
      mountPoint: unescapePath(mountPoint),
      type,
      readonly: options?.split(",").includes("ro") ?? false,
      superOptions: superOptions?.split(",") ?? [],
    });
  }
  return found;
}

export function readMounts(): MountedFs[] {
  return parseMountinfo(readFileSync("/proc/self/mountinfo", "utf8"));
}

function unescapePath(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
