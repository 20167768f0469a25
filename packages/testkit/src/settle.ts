/** More turns than any honest test needs; keeps a read of a fifo, or an endless chain of immediates, from hanging a test. */
const MAX_TURNS = 200_000;

/** File requests that are under way; not open handles such as watches, nor what listens on a socket. */
const FILE_REQUEST = /^(FSReq|CloseReq)/;

/** Immediates of this file that have not run: several clocks may settle at once, and must not wait for each other. */
let ownImmediates = 0;

function turn(): Promise<void> {
  ownImmediates += 1;
  return new Promise((resolve) =>
    setImmediate(() => {
      ownImmediates -= 1;
      resolve();
    }),
  );
}

function isBusy(): boolean {
  let immediates = 0;
  for (const name of process.getActiveResourcesInfo()) {
    if (FILE_REQUEST.test(name)) return true;
    if (name === "Immediate") immediates += 1;
  }
  return immediates > ownImmediates;
}

/**
 * Lets promises, immediates and file requests that are under way run to their end, in real time and without timers.
 * So virtual time does not move on while code under test still reads or writes a file.
 */
export async function settle(): Promise<void> {
  await turn();
  for (let turns = 0; turns < MAX_TURNS && isBusy(); turns++) await turn();
}
