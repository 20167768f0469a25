/** How far a container's output has been taken into its log, on disk: the next agent goes on there, with nothing twice. */
import { closeSync, constants, writeSync } from "node:fs";
import { openOwn } from "@hooklet/core/host";
import { readState } from "../state-text.js";

export interface Position {
  /** Bytes of the output that are in the log. */
  readonly taken: number;
  /** The log that they went into last, and its size behind them. */
  readonly logInode: string;
  readonly logSize: number;
}

export const START: Position = { taken: 0, logInode: "", logSize: 0 };

/** Always as long, so that a write replaces all of the one before it. */
const LENGTH = 80;

/** START when none was written, or it cannot be read: then output is in the log twice rather than not at all. */
export async function readPosition(file: string): Promise<Position> {
  const text = (await readState(file).catch(() => undefined)) ?? "";
  const [, taken, logInode, logSize] = /^(\d+) (\d+) (\d+) *\n$/.exec(text) ?? [];
  if (taken === undefined || logInode === undefined || logSize === undefined) return START;
  return { taken: Number(taken), logInode, logSize: Number(logSize) };
}

/** One write: a killed agent leaves the old one or the new one. Not synced: with the machine the container goes too. */
export function writePosition(file: string, { taken, logInode, logSize }: Position): void {
  const handle = openOwn(file, constants.O_WRONLY, 0o600);
  try {
    writeSync(handle, `${`${taken} ${logInode} ${logSize}`.padEnd(LENGTH - 1)}\n`, 0);
  } finally {
    closeSync(handle);
  }
}
