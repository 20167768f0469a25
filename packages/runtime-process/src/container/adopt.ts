/** Finds out, after a start of the agent, what became of one container. */
import { closeSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { sleep } from "@hooklet/core";
import type { Deps } from "../deps.js";
import { errno, isMissing } from "../fs-errors.js";
import { isAlive, parsePids } from "../proc/identity.js";
import { findByCommand } from "../proc/find-by-command.js";
import { namespaceOf } from "../proc/members.js";
import type { Container } from "./container.js";
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
  container.processes = readPids(container) ?? (await waitForClaim(deps, container));
  if (events.includes("up")) container.up.set();
  const ended = events.find((what) => what !== "up");
  if (container.processes === undefined && ended === undefined) {
    if (container.claims > 0 && claimedByShim(container, container.claims - 1)) {
      markLost(deps, container, "The container's first process was killed before it could tell its pid.");
      return finish(deps, container);
    }
    return;
  }
  const { processes } = container;
  if (ended !== undefined) {
    container.exit.set(ended === "lost" ? undefined : Number(ended));
    return finish(deps, container);
  }
  if (processes === undefined) return;
  const startedAt = later(timeOf(container.files.pids) ?? 0n, BigInt(container.record.createdAt));
  container.life = { kind: "running", processes, startedAt };
  if (container.cgroup === undefined && processes.bootId === deps.bootId && isAlive(processes.main)) {
    container.namespace = container.record.mode === "none" ? undefined : namespaceOf(processes.main.pid);
  }
  await checkLost(deps, container, noted);
}

function readPids(container: Container) {
  try {
    return parsePids(readFileSync(container.files.pids, "utf8"));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/**
 * A container without pids was either not started, or is just being started by a shim that the dead agent left. Takes the next
 * claim away from such a shim; where it has it already, waits for what it does.
 */
async function waitForClaim(deps: Deps, container: Container) {
  container.claims = readdirSync(container.folder).filter((name) => name.startsWith("claim.")).length;
  while (!takeClaim(container)) container.claims++;
  container.claims++;
  const last = container.claims - 2;
  if (last < 0 || !claimedByShim(container, last)) return undefined;
  const until = deps.clock.monotonic() + CLAIM_PATIENCE_MS;
  while (deps.clock.monotonic() < until) {
    const pids = readPids(container);
    if (pids !== undefined) return pids;
    if (findByCommand(container.folder).length === 0) break;
    await sleep(deps.clock, 50);
  }
  return readPids(container);
}

/** False when a shim was faster. */
function takeClaim(container: Container): boolean {
  const path = container.files.claim(container.claims);
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if (errno(error) === "EEXIST") return false;
    throw error;
  }
  writeFileSync(path, "agent");
  return true;
}

function claimedByShim(container: Container, number: number): boolean {
  try {
    return readFileSync(container.files.claim(number), "utf8") !== "agent";
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
