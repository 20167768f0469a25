/** The client's end of a command in a container. */
import { PassThrough } from "node:stream";
import { bytesFrame, type OutputFrame, parseOutput } from "../wire/frames.js";
import { encodeLine } from "../wire/ndjson.js";
import { AgentAnswerError, type Transport } from "./transport.js";

export interface ExecOptions {
  readonly command: readonly string[];
  readonly container?: string;
  readonly tty: boolean;
  readonly stdin: boolean;
}

export interface ExecSession {
  /** Resolves with the command's exit code. */
  readonly exitCode: Promise<number>;
  /** False: more is waiting than the agent takes; wait for `drained`. */
  write(data: Buffer): boolean;
  drained(): Promise<void>;
  endInput(): void;
  resize(columns: number, rows: number): void;
  /** Hangs up; the agent ends the command. */
  abort(): void;
}

export function startExec(
  transport: Transport,
  path: string,
  options: ExecOptions,
  output: (frame: OutputFrame) => void | Promise<void>,
): ExecSession {
  const input = new PassThrough({ highWaterMark: 256 * 1024 });
  const hangUp = new AbortController();
  const send = (frame: unknown): boolean => (input.writable ? input.write(encodeLine(frame)) : true);
  // undici destroys the input when the answer has ended: by then nobody needs it.
  input.on("error", () => undefined);
  send({ start: options });

  const run = async (): Promise<number> => {
    const call = { method: "POST", body: input, contentType: "application/x-ndjson", signal: hangUp.signal } as const;
    try {
      for await (const line of transport.lines(path, call)) {
        const frame = parseOutput(line);
        if ("exit" in frame) return frame.exit;
        if ("error" in frame) throw new AgentAnswerError(frame.error, 500, frame.code);
        await output(frame);
      }
    } finally {
      input.destroy();
    }
    throw new AgentAnswerError("The agent ended the answer without an exit code.", 500, "");
  };

  return {
    exitCode: run(),
    write: (data) => send(bytesFrame("stdin", data)),
    drained: () => new Promise((resolve) => input.once("drain", resolve).once("close", resolve)),
    endInput: () => {
      send({ close: true });
    },
    resize: (columns, rows) => {
      send({ resize: { columns, rows } });
    },
    abort: () => hangUp.abort(new Error("The command was left.")),
  };
}
