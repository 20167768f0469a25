/** Finds out, after a start of the agent, what became of one container. */
import { statSync } from "node:fs";
import { sleep } from "@hooklet/core";
import { isAlive } from "@hooklet/linux";
import type { Deps } from "../deps.js";
import { type ContainerProcesses, findByCommand, namespaceOf } from "../proc/members.js";
import { killSetup, takeClaim } from "./clean-up.js";
import type { Container } from "./container.js";
import type { FolderEvent } from "./event-folder.js";
import { finish, later, timeOf } from "./finish.js";
import { checkLost, findByCgroup, markLost } from "./lost.js";
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
