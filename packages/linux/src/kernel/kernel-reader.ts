/** Descriptors that stay open between readings. */
import { closeSync, constants, openSync, readSync } from "node:fs";
import { errno, NodeAgentError, unless } from "@hooklet/utils";
import type { KernelFileReader } from "../host.js";
import { GONE, readAll } from "./kernel-read.js";

/** Open files checked for each newly opened one: of dead files at most a quarter as many as of the others stay open. */
const LOOKS = 4;

export function createReader(limit: number): KernelFileReader {
  /** Path -> descriptor, least recently read first. */
  const open = new Map<string, number>();
  let closed = false;
  const forget = (path: string): void => {
    const file = open.get(path);
    open.delete(path);
    if (file !== undefined) closeSync(file);
  };
  /** A few at each new file, least recently read first: files of a removed cgroup are never read again. */
  const forgetGone = (): void => {
    let looks = 0;
    for (const [path, file] of open) {
      if (isGone(file)) forget(path);
      else {
        // Others come before it next time.
        open.delete(path);
        open.set(path, file);
      }
      if (++looks === LOOKS) return;
    }
  };
  const fresh = (path: string): string | undefined =>
    unless(GONE, undefined, () => {
      forgetGone();
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

/** One byte decides: reading it fails when the cgroup or process is gone. Other errors go to the next reader of that file. */
function isGone(file: number): boolean {
  try {
    readSync(file, byte, 0, 1, 0);
    return false;
  } catch (error) {
    return GONE.includes(errno(error) ?? "");
  }
}

const byte = Buffer.alloc(1);
