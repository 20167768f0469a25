/** A container whose state file cannot be read: its processes are found by what the kernel tells, and by what else lies in its folder. */
import { readdirSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { basename } from "node:path";
import { sleep } from "@hooklet/core";
import { identify, type ProcessIdentity } from "@hooklet/core/host";
import type { Deps } from "../deps.js";
import { containerFiles } from "../layout.js";
import { findByCommand } from "../proc/find-by-command.js";
import { parsePids } from "../proc/identity.js";
import { findMembers } from "../proc/members.js";
import { readLines } from "../state-text.js";

const ROUNDS = 20;

/** Kills the shim, and all that belongs to the container, for a second at most. */
export async function killDamaged(deps: Deps, folder: string): Promise<void> {
  const files = containerFiles(folder);
  const processes = parsePids(readable(files.pids) ?? "");
  const namespace = readable(files.namespace);
  for (let round = 0; round < ROUNDS; round++) {
    const found = findByCommand(folder);
    found.push(...findByCgroup(basename(folder)));
    if (processes !== undefined && processes.bootId === deps.bootId) {
      const traits = { id: basename(folder), main: processes.main, ...(namespace !== undefined && { namespace }) };
      found.push(...findMembers(traits));
    }
    if (found.length === 0) return;
    await Promise.all(found.map((one) => deps.signals.send(one, constants.signals.SIGKILL)));
    await sleep(deps.clock, 50);
  }
  deps.log.error({ folder }, "processes of a container with damaged state could not be killed");
}

/** What else is damaged tells nothing. */
function readable(file: string): string | undefined {
  try {
    return readLines(file);
  } catch {
    return undefined;
  }
}

/** Processes in a cgroup of this name, or below it, in any hierarchy: what the kernel tells, whatever the files on disk say. A look over /proc. */
export function findByCgroup(name: string): ProcessIdentity[] {
  return readdirSync("/proc")
    .map(Number)
    .flatMap((pid) => {
      if (!Number.isInteger(pid) || pid <= 1 || pid === process.pid) return [];
      // First who it is: another one with this pid would have another start time.
      const found = identify(pid);
      return found !== undefined && cgroupsOf(pid).includes(`/${name}`) ? [found] : [];
    });
}

/** "" when the process has gone. */
function cgroupsOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cgroup`, "latin1");
  } catch {
    return "";
  }
}
