/**
 * A name that is still reserved: the call of an agent that was killed is being undone. The runtime frees it in a moment.
 */
import { type Clock, sleep } from "@hooklet/core";
import { codeOf } from "./errors.js";
import { CallError } from "./grpc.js";

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
