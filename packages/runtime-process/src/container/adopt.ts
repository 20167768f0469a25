/** Finds out, after a start of the agent, what became of one container. */
import { mkdirSync, statSync } from "node:fs";
import { constants } from "node:os";
import { errno, sleep } from "@hooklet/core";
import { isAlive } from "@hooklet/core/host";
import type { Deps } from "../deps.js";
import { findByCommand } from "../proc/find-by-command.js";
import { type ContainerProcesses, parsePids } from "../proc/identity.js";
import { namespaceOf } from "../proc/members.js";
import { readLines } from "../state-text.js";
import type { Container } from "./container.js";
import { findByCgroup } from "./damaged.js";
import type { FolderEvent } from "./event-folder.js";
import { finish, later, timeOf } from "./finish.js";
import { checkLost, markLost } from "./lost.js";

/** How long a shim may be between its claim and its container's first words. */
const CLAIM_PATIENCE_MS = 5000;

/** Sets `life`. `events`: what the event folder says about this container; `noted` looks at it again. */
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
  container.processes = readPids(container);
  if (container.processes === undefined) {
    claimed = takeNextClaim(container);
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
      // What was never started has no process in its cgroup: who is there wrote a file that is damaged now.
      if (findByCgroup(container.id).length > 0)
        throw new Error("the file that tells its processes is gone or damaged");
      return;
    }
    const shims = findByCommand(container.folder);
    await Promise.all(shims.map((shim) => deps.signals.send(shim, constants.signals.SIGKILL)));
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

function readPids(container: Container): ContainerProcesses | undefined {
  return parsePids(readLines(container.files.pids) ?? "");
}

/**
 * A container without pids was either not started, or is just being started by a shim that the dead agent left. Takes the
 * next claim away from such a shim: a folder in its place. True when a shim had one already.
 */
function takeNextClaim(container: Container): boolean {
  for (; ; container.claims++) {
    try {
      mkdirSync(container.files.claim(container.claims), { mode: 0o700 });
      break;
    } catch (error) {
      if (errno(error) !== "EEXIST") throw error;
    }
  }
  const before = Array.from({ length: container.claims }, (_, number) => container.files.claim(number));
  container.claims++;
  return before.some((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
}

async function waitForPids(deps: Deps, container: Container): Promise<ContainerProcesses | undefined> {
  const until = deps.clock.monotonic() + CLAIM_PATIENCE_MS;
  while (deps.clock.monotonic() < until && findByCommand(container.folder).length > 0) {
    const pids = readPids(container);
    if (pids !== undefined) return pids;
    await sleep(deps.clock, 50);
  }
  return readPids(container);
}
