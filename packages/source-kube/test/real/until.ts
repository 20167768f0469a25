import { sleep, systemClock } from "@hooklet/utils";

/** Waits for what real sockets bring; fails by the test's own time limit. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(systemClock, 2);
}
