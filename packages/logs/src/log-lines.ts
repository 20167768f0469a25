/** Turns the bytes of one log file, chunk by chunk, into what a container wrote. Memory is constant for any line length. */

export interface LogFile {
  /** The newest file; rotated ones are in the same folder. */
  readonly path: string;
  readonly format: "cri" | "raw";
  /** True once no more output can come. */
  ended(): boolean;
}

export interface LogOptions {
  /** Puts each line's time before it. CRI files only. */
  readonly timestamps: boolean;
  /** Leaves out lines that were written earlier; milliseconds since the epoch. CRI files only. */
  readonly since?: number;
}

export type LogStream = "stdout" | "stderr";

export type LogOutput = (stream: LogStream, data: Buffer) => void;

/** A parser keeps the state of a line that began in an earlier piece. */
export interface LogParser {
  write(data: Buffer): void;
  /** What follows is the beginning of a file. */
  newFile(): void;
  /** Whether another parser may continue from here: no partial line is buffered. */
  readonly atRest: boolean;
}

/** A raw file is the output itself: no streams, no times. */
export function rawParser(output: LogOutput): LogParser {
  return { write: (data) => output("stdout", data), newFile: () => undefined, atRest: true };
}
