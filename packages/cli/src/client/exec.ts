/** The client's end of a command in a container. */
import { PassThrough } from "node:stream";
import { bytesFrame, encodeLine, INPUT_WINDOW, type OutputFrame, parseOutput } from "@hooklet/server/wire";
import { AgentAnswerError, type Transport } from "./transport.js";

/** Bytes of input a frame. */
const CHUNK = 64 * 1024;

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
  const input = new PassThrough();
  const hangUp = new AbortController();
  const window = new InputWindow();
  const send = (frame: unknown): void => {
    if (input.writable) input.write(encodeLine(frame));
  };
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
        if ("taken" in frame) window.taken(frame.taken);
        else await output(frame);
      }
    } finally {
      window.close();
      input.destroy();
    }
    throw new AgentAnswerError("The agent ended the answer without an exit code.", 500, "");
  };

  return {
    exitCode: run(),
    write: (data) => {
      for (let at = 0; at < data.length; at += CHUNK) send(bytesFrame("stdin", data.subarray(at, at + CHUNK)));
      return window.sent(data.length);
    },
    drained: () => window.room(),
    endInput: () => send({ close: true }),
    resize: (columns, rows) => send({ resize: { columns, rows } }),
    abort: () => hangUp.abort(new Error("The command was left.")),
  };
}

/** Counts the input that the command has not taken yet. */
class InputWindow {
  #waiting = 0;
  #wake: (() => void)[] = [];
  #closed = false;

  /** Whether more may be sent. */
  sent(bytes: number): boolean {
    this.#waiting += bytes;
    return this.#waiting < INPUT_WINDOW;
  }

  taken(bytes: number): void {
    this.#waiting -= bytes;
    if (this.#waiting < INPUT_WINDOW) this.#wakeAll();
  }

  close(): void {
    this.#closed = true;
    this.#wakeAll();
  }

  room(): Promise<void> {
    if (this.#closed || this.#waiting < INPUT_WINDOW) return Promise.resolve();
    return new Promise((resolve) => this.#wake.push(resolve));
  }

  #wakeAll(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}
