/** TERM, grace, KILL. */
import { constants } from "node:os";
import { RuntimeError } from "@hooklet/core/host";
import { pause } from "@hooklet/core/subsystem";
import type { Deps } from "../deps.js";
import { endSetup, sweep } from "./clean-up.js";
import type { Container } from "./container.js";

const AFTER_KILL_MS = 10_000;
/** Milliseconds between two checks of a container without a shim. */
const LOOK_MS = 100;

/**
 * Resolves when no process of the container is left. The signal goes to the first process; after the grace period KILL
 * goes to all. `check` finds out about an end that no shim tells.
 */
export async function stopContainer(
  deps: Deps,
  container: Container,
  gracePeriodSeconds: number,
  check: () => Promise<void>,
): Promise<void> {
  const { life } = container;
  if (life.kind === "created") return;
  if (life.kind === "exited") {
    if (!container.swept) await sweep(deps, container);
    container.swept = true;
    return;
  }
  if (life.kind === "starting" && !container.up.isSet) {
    await endSetup(deps, container);
    container.exit.set(undefined);
  }
  const main = life.kind === "running" ? life.processes.main : undefined;
  const graceMs = Math.min(Math.max(gracePeriodSeconds, 0), 2 ** 31) * 1000;
  if (main !== undefined && graceMs > 0) {
    await deps.signals.send(main, container.record.launch.stopSignal);
    if (await endsWithin(deps, container, graceMs, check)) return;
  }
  if (main !== undefined) await deps.signals.send(main, constants.signals.SIGKILL);
  await sweep(deps, container);
  if (await endsWithin(deps, container, AFTER_KILL_MS, check)) return;
  throw new RuntimeError(
    "deadline-exceeded",
    `container ${container.id} was killed and its end was not noted within ${AFTER_KILL_MS / 1000} s`,
  );
}

async function endsWithin(
  deps: Deps,
  container: Container,
  milliseconds: number,
  check: () => Promise<void>,
): Promise<boolean> {
  const until = deps.clock.monotonic() + milliseconds;
  const stop = new AbortController();
  const looks = (async (): Promise<void> => {
    while (!container.ended.isSet) {
      const left = until - deps.clock.monotonic();
      if (left <= 0) return;
      await pause(deps.clock, Math.min(left, LOOK_MS), stop.signal);
      if (stop.signal.aborted) return;
      await check();
    }
  })();
  await Promise.race([container.ended.happened, looks]);
  stop.abort();
  return container.ended.isSet;
}
