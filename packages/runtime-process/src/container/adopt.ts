/** Finds out, after a start of the agent, what became of one container. */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { constants } from "node:os";
import { basename, join } from "node:path";
import { sleep } from "@hooklet/core";
import { identify, isAlive, type ProcessIdentity, writeOwn } from "@hooklet/linux";
import type { Deps } from "../deps.js";
import { containerFiles } from "../layout.js";
import { type ContainerProcesses, findByCommand, findMembers, namespaceOf, parsePids } from "../proc/members.js";
import { readLines } from "../state-text.js";
import { killSetup, takeClaim } from "./clean-up.js";
import type { Container } from "./container.js";
import type { FolderEvent } from "./event-folder.js";
import { finish, later, timeOf } from "./finish.js";
import { readPids } from "./state-file.js";

/** Longest time between a shim's claim and its container's first report. */
const CLAIM_PATIENCE_MS = 5000;

/** Sets `life`. `events`: the event folder's entries for this container; `noted` reads it again. */
export async function adopt(
  deps: Deps,
  container: Container,
  events: readonly FolderEvent["what"][],
  noted: () => boolean,
): Promise<void> {
  if (container.record.startError !== undefined) {
    container.exit.set(undefined);
    return finish(deps, container);
  }
  let claimed = false;
  container.processes = readPids(container.folder);
  if (container.processes === undefined) {
    claimed = await takeNextClaim(container);
    if (claimed) container.processes = await waitForPids(deps, container);
  }
  if (events.includes("up")) container.up.set();
  const ended = events.find((what) => what !== "up");
  if (ended !== undefined) {
    container.exit.set(ended === "lost" ? undefined : Number(ended));
    return finish(deps, container);
  }
  const { processes } = container;
  if (processes === undefined) {
    if (!claimed) {
      // A container that never started has no process in its cgroup: these processes wrote a file that is damaged now.
      if (findByCgroup(container.id).length > 0)
        throw new Error("the file that tells its processes is gone or damaged");
      return;
    }
    await killSetup(deps, container);
    markLost(deps, container, "The container's first process was killed before it could tell its pid.");
    return finish(deps, container);
  }
  const startedAt = later(timeOf(container.files.pids) ?? 0n, BigInt(container.record.createdAt));
  container.life = { kind: "running", processes, startedAt };
  if (container.cgroup === undefined && processes.bootId === deps.bootId && isAlive(processes.main)) {
    container.namespace = container.record.mode === "none" ? undefined : namespaceOf(processes.main.pid);
  }
  await checkLost(deps, container, noted);
}

/**
 * A container without pids was either not started, or is just being started by a shim that the dead agent left. Takes the
 * next claim away from such a shim: a folder in its place. True when a shim had one already.
 */
async function takeNextClaim(container: Container): Promise<boolean> {
  while (!(await takeClaim(container.files.claim(container.claims)))) container.claims++;
  const before = Array.from({ length: container.claims }, (_, number) => container.files.claim(number));
  container.claims++;
  return before.some((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
}

async function waitForPids(deps: Deps, container: Container): Promise<ContainerProcesses | undefined> {
  const until = deps.clock.monotonic() + CLAIM_PATIENCE_MS;
  while (deps.clock.monotonic() < until && findByCommand(container.folder).length > 0) {
    const pids = readPids(container.folder);
    if (pids !== undefined) return pids;
    await sleep(deps.clock, 50);
  }
  return readPids(container.folder);
}

// Containers that lost their shim or their state file: how they are found by what the kernel tells and what lies in their folder, and what is written
// down of them.

const SHIM_KILLED = "The container's exit code is unknown: the process beside it that would have noted it was killed.";
const REBOOTED = "The container's exit code is unknown: the machine was restarted while it ran.";

/**
 * Checks whether a container still runs when its shim does not. Called now and then, and while a caller waits
 * for its end. Does nothing while the shim lives, which reports the end.
 */
export async function checkLost(deps: Deps, container: Container, noted: () => boolean): Promise<void> {
  const { processes } = container;
  if (container.life.kind !== "running" || processes === undefined || container.exit.isSet) return;
  if (processes.bootId === deps.bootId) {
    if (isAlive(processes.shim)) return;
    if (container.watched) {
      container.watched = false;
      deps.log.warn({ container: container.id }, "the container's shim was killed; its exit code will be unknown");
    }
    if (isAlive(processes.main)) return;
  }
  // The shim's last act may be more recent than what we know.
  if (noted()) return;
  markLost(deps, container, processes.bootId === deps.bootId ? SHIM_KILLED : REBOOTED);
  await finish(deps, container);
}

/** Written down so that the next agent says the same. */
function markLost(deps: Deps, container: Container, message: string): void {
  writeOwn(join(deps.layout.events, `${container.id}.lost`), message, 0o600);
  container.exit.set(undefined);
}

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

/** Processes in a cgroup of this name, or below it, in any hierarchy: from the kernel, whatever the files on disk say. Reads /proc. */
function findByCgroup(name: string): ProcessIdentity[] {
  return readdirSync("/proc")
    .map(Number)
    .flatMap((pid) => {
      if (!Number.isInteger(pid) || pid <= 1 || pid === process.pid) return [];
      // First the identity: another process with this pid would have another start time.
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
