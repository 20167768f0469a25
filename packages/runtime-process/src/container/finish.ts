/** What a container's end means: exit code, reason, times. */
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { errorText } from "@hooklet/core";
import type { Deps } from "../deps.js";
import { readLines } from "../state-text.js";
import { sweep } from "./clean-up.js";
import type { Container, Exited } from "./container.js";

/** The container's first process has ended. Kills what is left of it, then tells. Done once. */
export async function finish(deps: Deps, container: Container): Promise<void> {
  if (container.life.kind === "exited") return;
  await sweepQuietly(deps, container);
  await deps.outputs.finish(container);
  // A start that failed may have decided meanwhile.
  if (exited(container)) return;
  conclude(deps, container, ending(deps, container));
}

/** Sets the end, resolves all waits for it, and sends the event. */
export function conclude(deps: Deps, container: Container, end: Exited): void {
  container.life = end;
  container.ended.set();
  deps.emit({ podUid: container.record.podUid, containerId: container.id, type: "CONTAINER_STOPPED" });
}

export async function sweepQuietly(deps: Deps, container: Container): Promise<void> {
  try {
    await sweep(deps, container);
    container.swept = true;
  } catch (error) {
    deps.log.error({ container: container.id }, errorText(error));
  }
}

function ending(deps: Deps, container: Container): Exited {
  const created = BigInt(container.record.createdAt);
  const { startError } = container.record;
  if (startError !== undefined) return startErrorEnd(startError.message, BigInt(startError.at));
  const code = container.exit.value;
  const file = join(deps.layout.events, `${container.id}.${code ?? "lost"}`);
  const startedAt = later(timeOf(container.files.pids) ?? 0n, created);
  const finishedAt = later(timeOf(file) ?? BigInt(Math.floor(deps.clock.now())) * 1_000_000n, startedAt);
  if (code === undefined) {
    return {
      kind: "exited",
      exitCode: 137,
      startedAt,
      finishedAt,
      reason: "ContainerStatusUnknown",
      message: textOf(file),
    };
  }
  if (!isUp(deps, container)) return startErrorEnd(setupMessage(container), finishedAt);
  // For any process, and whatever the first one made of it, as containerd and CRI-O report it.
  const oom = (container.cgroup?.oomKills() ?? 0) > 0;
  const reason = oom ? "OOMKilled" : code === 0 ? "Completed" : "Error";
  return { kind: "exited", exitCode: code, startedAt, finishedAt, reason, message: "" };
}

export function startErrorEnd(message: string, at: bigint): Exited {
  return { kind: "exited", exitCode: 128, startedAt: 0n, finishedAt: at, reason: "StartError", message };
}

/** Why the set-up ended before the container's own program started, with the tools' message. */
export function setupMessage(container: Container): string {
  const text = textOf(container.files.setup)
    .replaceAll(/\s*dmesg\(1\) may have more information[^\n]*/g, "")
    .trim();
  return `failed to set up the container: ${text.slice(0, 4096) || "the set-up ended without a word"}`;
}

function isUp(deps: Deps, container: Container): boolean {
  return container.up.isSet || existsSync(join(deps.layout.events, `${container.id}.up`));
}

/** Nanoseconds since the epoch; undefined when the file is not there. */
export function timeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.mtimeNs;
}

export function later(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function exited(container: Container): boolean {
  return container.life.kind === "exited";
}

function textOf(path: string): string {
  return readLines(path) ?? "";
}
