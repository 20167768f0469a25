import { constants } from "node:fs";
import { dirname, join, posix } from "node:path";
import type { Mount } from "@hooklet/core";
import { disk } from "@hooklet/linux";

/** The files of one simulated container: mounts are the node's real files, everything else is its own and in memory. */
export class ContainerFiles {
  readonly #own = new Map<string, string>();
  readonly #mounts: readonly Mount[];

  constructor(mounts: readonly Mount[]) {
    // The deepest mount that contains a path is the visible one.
    this.#mounts = mounts.toSorted((a, b) => b.containerPath.length - a.containerPath.length);
  }

  /** @throws Error where the mount is read-only or the node refuses */
  write(path: string, text: string): void {
    const mount = this.#mountOf(path);
    if (mount === undefined) this.#own.set(posix.normalize(path), text);
    else if (mount.readonly) throw new Error(`${path}: Read-only file system`);
    else disk.writeFileSync(onNode(mount, path), text);
  }

  /** @throws Error where there is no such file */
  read(path: string): string {
    const mount = this.#mountOf(path);
    if (mount !== undefined) return disk.readFileSync(onNode(mount, path), "utf8");
    const text = this.#own.get(posix.normalize(path));
    if (text === undefined) throw new Error(`${path}: No such file or directory`);
    return text;
  }

  #mountOf(path: string): Mount | undefined {
    const normal = posix.normalize(path);
    return this.#mounts.find(
      ({ containerPath }) => normal === containerPath || normal.startsWith(`${containerPath.replace(/\/$/, "")}/`),
    );
  }
}

function onNode(mount: Mount, path: string): string {
  // Both are normal, so the rest has no `..` and stays below the mount.
  return join(mount.hostPath, posix.relative(mount.containerPath, posix.normalize(path)));
}

/** Writes a container's output as CRI log lines; text that does not end its line is a partial line (`P`). */
export class LogFile {
  readonly #path: string;
  readonly #now: () => number;

  constructor(path: string, now: () => number) {
    this.#path = path;
    this.#now = now;
  }

  /** Makes the file; a log exists from the start of its container. */
  open(): void {
    disk.mkdirSync(dirname(this.#path), { recursive: true });
    this.#append("");
  }

  write(stream: "stdout" | "stderr", text: string): void {
    const time = new Date(this.#now()).toISOString().replace("Z", "000000Z");
    const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
    const records = lines.map((line) =>
      line.endsWith("\n") ? `${time} ${stream} F ${line}` : `${time} ${stream} P ${line}\n`,
    );
    if (records.length > 0) this.#append(records.join(""));
  }

  #append(text: string): void {
    const { O_WRONLY, O_APPEND, O_CREAT } = constants;
    const file = disk.openSync(this.#path, O_WRONLY | O_APPEND | O_CREAT, 0o666);
    disk.writeFileSync(file, text);
    disk.closeSync(file);
  }
}
