/** The client's end of a command in a container, and of a port: websockets over the agent's unix socket. */
import { Agent, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import {
  Channel,
  ChannelConnection,
  decodeOutcome,
  encodeSize,
  MAX_MESSAGE_BYTES,
  PROTOCOLS,
  usePort,
} from "@hooklet/streams/channels";
import { agentNotRunning } from "@hooklet/utils";
import { WebSocket } from "ws";
import { AgentAnswerError, answerError, notReached } from "./transport.js";

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
  { command, tty, stdin }: Omit<ExecOptions, "container">,
  output: TakeOutput,
): Promise<ExecSession> {
  const query = new URLSearchParams(command.map((word): [string, string] => ["command", word]));
  if (stdin) query.set("input", "1");
  if (tty) query.set("tty", "1");
  query.set("output", "1");
  // A terminal has one stream.
  if (!tty) query.set("error", "1");
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

/** Carries a local connection to a port of a pod; resolves when it has ended. */
export async function forwardPort(socket: string, path: string, local: Duplex): Promise<void> {
  await usePort(await openChannels(socket, path), local);
}

/** @throws AgentAnswerError when the agent refuses, or NodeAgentError AGENT_NOT_RUNNING when no agent answers */
async function openChannels(socket: string, path: string): Promise<ChannelConnection> {
  const websocket = new WebSocket(`ws://localhost${path}`, [...PROTOCOLS], {
    agent: new Agent({ socketPath: socket } as object),
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
  });
  // Before it is open: the first messages come right behind the answer.
  const connection = new ChannelConnection(websocket);
  await new Promise<void>((resolve, reject) => {
    websocket.once("open", resolve);
    websocket.once("error", (error) => reject(notReached(socket, error) ?? error));
    websocket.once("unexpected-response", (_request, response: IncomingMessage) => {
      readText(response).then((text) => reject(answerError(response.statusCode ?? 500, text)), reject);
    });
  });
  return connection;
}

/** More of an error than this is not shown. */
const MAX_ERROR_BYTES = 64 * 1024;

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_ERROR_BYTES) break;
  }
  return Buffer.concat(chunks).toString();
}
