/** Commands in containers that do what a test tells them. */
import type { InteractiveExec } from "@hooklet/core/host";

export type ExecScript = (
  command: readonly string[],
  output: (stream: "stdout" | "stderr", data: Buffer) => void,
) => InteractiveExec;

/** A command that answers each input with `says` of it, tells its sizes on stderr, and ends with `code` when its input ends. */
export function scripted(says: (input: Buffer) => Buffer, code: number): ExecScript {
  return (_command, output) => {
    let end: (code: number) => void = () => undefined;
    const exitCode = new Promise<number>((resolve) => {
      end = resolve;
    });
    return {
      exitCode,
      write: (data) => output("stdout", says(data)),
      endInput: () => end(code),
      resize: (columns, rows) => output("stderr", Buffer.from(`${columns}x${rows}`)),
      abort: () => end(137),
    };
  };
}
