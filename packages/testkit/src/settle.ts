/** More turns than any honest test needs; keeps a read of a fifo, or an endless chain of immediates, from hanging a test. */
const MAX_TURNS = 200_000;

/** Work of the process that will go on by itself: file requests and immediates, not open handles such as watches. */
const BUSY = /^(FSReq|CloseReq|Immediate)/;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Lets promises, immediates and file requests that are under way run to their end, in real time and without timers.
 * So virtual time does not move on while code under test still reads or writes a file.
 */
export async function settle(): Promise<void> {
  await turn();
  for (let turns = 0; turns < MAX_TURNS && process.getActiveResourcesInfo().some((name) => BUSY.test(name)); turns++) {
    await turn();
  }
}
