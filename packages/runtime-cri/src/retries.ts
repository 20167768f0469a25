/** Calls that are tried again: the call of an agent that was killed leaves a name reserved, or a container starting, for a moment. */

import { type Clock, sleep } from "@hooklet/core";
import { CallError, codeOf } from "./call-errors.js";

const TRIES = 12;
const PAUSE = 250;

/** Repeats `make` while its name is reserved and nothing of that name exists. */
export async function onceFree<T>(
  clock: Clock,
  make: () => Promise<T>,
  exists: () => Promise<boolean>,
  signal?: AbortSignal,
): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await make();
    } catch (error) {
      const taken = error instanceof CallError && codeOf(error) === "already-exists";
      if (!taken || tried === TRIES || (await exists())) throw error;
      await sleep(clock, PAUSE, signal);
    }
  }
}

/** containerd has no code for it. */
const UNSETTLED = /is in (starting|removing) state/;

/** Repeats `remove` while the start of an earlier agent is being undone. */
export async function onceSettled<T>(clock: Clock, remove: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await remove();
    } catch (error) {
      if (!(error instanceof CallError) || !UNSETTLED.test(error.details) || tried === TRIES) throw error;
      await sleep(clock, PAUSE);
    }
  }
}
