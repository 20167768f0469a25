import { existsSync, mkdirSync } from "node:fs";

/** Makes an empty folder where a volume's source is missing, as containerd does. A file, or whatever else is there, stays. */
export function makeMissingSource(path: string): void {
  if (!existsSync(path)) mkdirSync(path, { recursive: true, mode: 0o755 });
}
