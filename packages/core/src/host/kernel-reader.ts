/** Descriptors that stay open between readings. */
import { closeSync, constants, openSync } from "node:fs";
import { NodeAgentError } from "../errors.js";
import { unless } from "../lib/errno.js";
import type { KernelFileReader } from "../plugin/contract/host.js";
import { GONE, readAll } from "./kernel-read.js";

export function createReader(limit: number): KernelFileReader {
  /** Path -> descriptor, the one that was read longest ago first. */
  const open = new Map<string, number>();
  let closed = false;
  const forget = (path: string): void => {
    const file = open.get(path);
    open.delete(path);
    if (file !== undefined) closeSync(file);
  };
  const fresh = (path: string): string | undefined =>
    unless(GONE, undefined, () => {
      const file = openSync(path, constants.O_RDONLY);
      open.set(path, file);
      for (const oldest of open.keys()) {
        if (open.size <= Math.max(1, limit)) break;
        forget(oldest);
      }
      return readAll(file, path, 0);
    });
  return {
    read(path) {
      if (closed)
        throw new NodeAgentError("INVALID", `A reader of kernel files that was closed was asked for ${path}.`);
      const file = open.get(path);
      if (file === undefined) return fresh(path);
      const text = unless(GONE, undefined, () => readAll(file, path, 0));
      if (text !== undefined) {
        open.delete(path);
        open.set(path, file);
        return text;
      }
      // The cgroup of then is gone; another of that name may be there.
      forget(path);
      return fresh(path);
    },
    close() {
      closed = true;
      for (const path of [...open.keys()]) forget(path);
    },
  };
}
