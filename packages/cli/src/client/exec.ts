/** The client's end of a command in a container. */
import { agentNotRunning } from "@hooklet/core/base";
import type { ChannelConnection } from "@hooklet/server/channels";
import { openChannels } from "./channels.js";
import { AgentAnswerError } from "./transport.js";

export interface ExecOptions {
  readonly command: readonly string[];
  readonly container?: string;
  readonly tty: boolean;
  readonly stdin: boolean;
}

/** Takes a piece of output; the command is held up until it has resolved. */
export type TakeOutput = (stream: "stdout" | "stderr", data: Buffer) => void | Promise<void>;

export interface ExecSession {
  /** Resolves with the command's exit code. */
  readonly exitCode: Promise<number>;
  /** False: more is waiting than the agent takes; wait for `drained`. */
  write(data: Buffer): boolean;
  /** Resolves when the agent has caught up or the command has ended. */
  drained(): Promise<void>;
  endInput(): void;
  resize(columns: number, rows: number): void;
  /** Hangs up; the agent ends the command. */
  abort(): void;
}

/** Resolves once the agent has taken the request. */
export async function startExec(
  socket: string,
  path: string,
  { command, container, tty, stdin }: ExecOptions,
  output: TakeOutput,
): Promise<ExecSession> {
  const query = new URLSearchParams(command.map((word): [string, string] => ["command", word]));
  if (container !== undefined) query.set("container", container);
  if (stdin) query.set("input", "1");
  if (tty) query.set("tty", "1");
  query.set("output", "1");
  // A terminal has one stream.
  if (!tty) query.set("error", "1");
  const { Channel, encodeSize } = await import("@hooklet/server/channels");
  const connection = await openChannels(socket, `${path}?${query}`);
  const exitCode = run(connection, socket, output);
  const ended = exitCode.then(
    () => undefined,
    () => undefined,
  );
  return {
    exitCode,
    write: (data) => connection.send(Channel.stdin, data),
    drained: () => Promise.race([connection.drained(), ended]),
    endInput: () => connection.closeChannel(Channel.stdin),
    resize: (columns, rows) => void connection.send(Channel.resize, encodeSize(columns, rows)),
    abort: () => connection.terminate(),
  };
}

async function run(connection: ChannelConnection, socket: string, output: TakeOutput): Promise<number> {
  const { Channel, decodeOutcome } = await import("@hooklet/server/channels");
  try {
    for await (const { channel, data } of connection.messages()) {
      if (channel === Channel.error && data.length > 0) {
        const outcome = decodeOutcome(data);
        if ("exitCode" in outcome) return outcome.exitCode;
        throw new AgentAnswerError(outcome.error, outcome.status, outcome.reason);
      }
      if (data.length === 0) continue;
      if (channel === Channel.stdout) await output("stdout", data);
      if (channel === Channel.stderr) await output("stderr", data);
    }
  } finally {
    connection.end();
  }
  throw agentNotRunning(socket, "the connection broke off before the command ended");
}
