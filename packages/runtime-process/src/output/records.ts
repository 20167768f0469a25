/** A container's output as records of the CRI log format, as containerd writes them. Pure. */

/** containerd's max_container_log_line_size: a longer line is written in parts. */
const MAX_CONTENT = 16 * 1024;
const NEWLINE = 0x0a;

export interface Records {
  readonly bytes: Buffer;
  /** Bytes of the output that the records hold, newlines included: less than there was while a line has not ended. */
  readonly consumed: number;
}

interface Piece {
  readonly start: number;
  readonly end: number;
  readonly head: Buffer;
}

/**
 * `time` as in `rfc3339Nano`. `atEnd`: nothing follows, so that a line without an end is written too. Both outputs of a container are one
 * file, in the order of writing: the stream is always stdout.
 */
export function criRecords(output: Buffer, time: string, atEnd: boolean): Records {
  const part = Buffer.from(`${time} stdout P `);
  const full = Buffer.from(`${time} stdout F `);
  const pieces: Piece[] = [];
  let at = 0;
  while (at < output.length) {
    const newline = output.indexOf(NEWLINE, at);
    const end = newline === -1 ? output.length : newline;
    for (; end - at > MAX_CONTENT; at += MAX_CONTENT) pieces.push({ start: at, end: at + MAX_CONTENT, head: part });
    if (newline === -1 && !atEnd) break;
    pieces.push({ start: at, end, head: newline === -1 ? part : full });
    at = newline === -1 ? end : end + 1;
  }
  return { bytes: joined(output, pieces), consumed: at };
}

function joined(output: Buffer, pieces: readonly Piece[]): Buffer {
  const size = pieces.reduce((sum, { start, end, head }) => sum + head.length + end - start + 1, 0);
  const bytes = Buffer.allocUnsafe(size);
  let to = 0;
  for (const { start, end, head } of pieces) {
    to += head.copy(bytes, to);
    to += output.copy(bytes, to, start, end);
    bytes[to++] = NEWLINE;
  }
  return bytes;
}

/** RFC 3339 in UTC with nine digits behind the point, as the CRI log format has it. `nanoseconds` since the epoch. */
export function rfc3339Nano(nanoseconds: bigint): string {
  const seconds = new Date(Number(nanoseconds / 1_000_000n)).toISOString().slice(0, 19);
  return `${seconds}.${String(nanoseconds % 1_000_000_000n).padStart(9, "0")}Z`;
}
