/**
 * The CRI log format: `<RFC 3339 time with nanoseconds> stdout|stderr P|F <content>` per line. P is a partial line that continues in the
 * next record of its stream; F ends the line.
 * Source: kubernetes/design-proposals-archive node/kubelet-cri-logging.md. Pure.
 */
import type { LogOptions, LogOutput, LogParser, LogStream } from "./log-lines.js";

const NEWLINE = 0x0a;
const END_OF_LINE = Buffer.from("\n");
/** A head is a time of at most 35 characters, a stream and a tag. Longer: not a CRI line. */
export const MAX_HEAD = 128;

interface Head {
  readonly time: string;
  readonly stream: LogStream;
  readonly partial: boolean;
  /** Bytes of the head with the blank behind it. */
  readonly length: number;
}

/** The head of a CRI line; undefined when it is not complete. More tags may follow after a colon. */
export function parseHead(line: Buffer): Head | undefined {
  const match = /^(\d{4}-\S+) (stdout|stderr) ([PF])(?::\S*)? /.exec(line.toString("latin1", 0, MAX_HEAD));
  if (match === null) return undefined;
  const [whole, time = "", stream, tag] = match;
  return { time, stream: stream === "stderr" ? "stderr" : "stdout", partial: tag === "P", length: whole.length };
}

type Place =
  | { readonly in: "head"; readonly collected: Buffer }
  | { readonly in: "content"; readonly head: Head; readonly shown: boolean }
  | { readonly in: "foreign" };

const LINE_START: Place = { in: "head", collected: Buffer.alloc(0) };

/** A line without a head is handed on as it is, on stdout: better odd output than lost output. */
export function criParser(options: LogOptions, output: LogOutput): LogParser {
  let place: Place = LINE_START;
  /** Per stream: does the line go on, and is it shown? A line's time is that of its first part. */
  const open: Partial<Record<LogStream, { readonly shown: boolean }>> = {};

  const beginContent = (head: Head): void => {
    const first = open[head.stream] === undefined;
    const shown = open[head.stream]?.shown ?? (options.since === undefined || Date.parse(head.time) >= options.since);
    if (shown && first && options.timestamps) output(head.stream, Buffer.from(`${head.time} `));
    place = { in: "content", head, shown };
  };

  const content = (data: Buffer, atEnd: boolean): void => {
    if (place.in === "foreign") {
      output("stdout", atEnd ? Buffer.concat([data, END_OF_LINE]) : data);
    } else if (place.in === "content") {
      const { head, shown } = place;
      const end = atEnd && !head.partial;
      if (shown && (data.length > 0 || end)) output(head.stream, end ? Buffer.concat([data, END_OF_LINE]) : data);
      if (atEnd && head.partial) open[head.stream] = { shown };
      else if (end) delete open[head.stream];
    }
    if (atEnd) place = LINE_START;
  };

  /** `data` holds no newline; `atEnd`: one follows it. */
  const piece = (data: Buffer, atEnd: boolean): void => {
    if (place.in !== "head") {
      content(data, atEnd);
      return;
    }
    const collected = place.collected.length === 0 ? data : Buffer.concat([place.collected, data]);
    const head = parseHead(collected);
    if (head !== undefined) {
      beginContent(head);
      content(collected.subarray(head.length), atEnd);
    } else if (atEnd || collected.length >= MAX_HEAD) {
      place = { in: "foreign" };
      content(collected, atEnd);
    } else {
      place = { in: "head", collected: Buffer.from(collected) };
    }
  };

  const remembersLines = options.timestamps || options.since !== undefined;
  return {
    get atRest() {
      return place === LINE_START && !(remembersLines && Object.keys(open).length > 0);
    },
    newFile() {
      place = LINE_START;
    },
    write(data) {
      let start = 0;
      for (;;) {
        const end = data.indexOf(NEWLINE, start);
        if (end === -1) break;
        piece(data.subarray(start, end), true);
        start = end + 1;
      }
      if (start < data.length) piece(data.subarray(start), false);
    },
  };
}
