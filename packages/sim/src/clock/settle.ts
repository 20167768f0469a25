/** More turns than any file request needs; keeps a read of a fifo from hanging a test. */
const MAX_FILE_TURNS = 200_000;
/** Immediates in a row that are waited for: code that yields now and then needs a few, an endless chain never ends. */
const MAX_IMMEDIATE_TURNS = 100;

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

function busyWith(): "files" | "immediates" | undefined {
  let immediates = 0;
  for (const name of process.getActiveResourcesInfo()) {
    if (FILE_REQUEST.test(name)) return "files";
    if (name === "Immediate") immediates += 1;
  }
  return immediates > ownImmediates ? "immediates" : undefined;
}

/**
 * Lets promises, immediates and file requests that are under way run to their end, in real time and without timers.
 * So virtual time does not move on while code under test still reads or writes a file.
 */
export async function settle(): Promise<void> {
  await turn();
  const left = { files: MAX_FILE_TURNS, immediates: MAX_IMMEDIATE_TURNS };
  for (let busy = busyWith(); busy !== undefined && left[busy] > 0; busy = busyWith()) {
    left[busy] -= 1;
    await turn();
  }
}
