/** Containers whose shim is gone: nobody writes down how they end. */
import { join } from "node:path";
import { isAlive, writeOwn } from "@hooklet/core/host";
import type { Deps } from "../deps.js";
import type { Container } from "./container.js";
import { finish } from "./finish.js";

const SHIM_KILLED = "The container's exit code is unknown: the process beside it that would have noted it was killed.";
const REBOOTED = "The container's exit code is unknown: the machine was restarted while it ran.";

/**
 * Looks whether a running container still runs although its shim does not. Called now and then, and while somebody waits
 * for its end. Does nothing when the shim lives: that one tells.
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
export function markLost(deps: Deps, container: Container, message: string): void {
  writeOwn(join(deps.layout.events, `${container.id}.lost`), message, 0o600);
  container.exit.set(undefined);
}
