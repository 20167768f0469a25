/** What a probe's or a hook's command says: the beginning of it. */
import type { Readable } from "node:stream";
import type { Clock } from "@hooklet/core";
import { EXEC_SYNC_BYTES } from "@hooklet/core/host";

/** Milliseconds between two pieces that nobody keeps: a command that prints without end costs the agent next to nothing. */
const PAUSE = 10;

/** Returns what was kept: no more than the first bytes. The rest is read slowly and dropped, so that the command can end. */
export function capture(clock: Clock, stream: Readable): () => Buffer {
  const kept = Buffer.allocUnsafe(EXEC_SYNC_BYTES);
  let size = 0;
  stream.on("data", (data: Buffer) => {
    if (size < kept.length) {
      size += data.copy(kept, size);
      return;
    }
    stream.pause();
    clock.schedule(PAUSE, () => {
      if (!stream.destroyed) stream.resume();
    });
  });
  return () => Buffer.from(kept.subarray(0, size));
}
