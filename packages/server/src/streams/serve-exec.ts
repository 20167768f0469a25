/** The agent's end of a command in a container. */

import type { InteractiveExec } from "@hooklet/core/host";
import { Channel, type ChannelConnection, decodeSize, encodeExit, encodeFailure } from "@hooklet/streams/channels";
import { type Clock, errorText, invalid } from "@hooklet/utils";
import { errorAnswer } from "../error-answer.js";
import { ownTurn } from "../one-a-turn.js";

/** What carries the streams of a command: a websocket, or the streams of SPDY. */
export type ExecChannels = Pick<ChannelConnection, "closed" | "full" | "send" | "drained" | "messages" | "end">;

export type StartCommand = (output: (stream: "stdout" | "stderr", data: Buffer) => void) => Promise<InteractiveExec>;

/** Runs the command and carries its streams; its end, or why it could not run, is the last message. Never rejects. */
export async function serveExec(connection: ExecChannels, clock: Clock, start: StartCommand): Promise<void> {
  await ownTurn(clock);
  // A client that left meanwhile has no use for its command.
  if (connection.closed.aborted) return;
  const flow = new Flow(connection);
  let running: InteractiveExec;
  try {
    running = await start((stream, data) => {
      if (data.length === 0) return;
      connection.send(Channel[stream], data);
      flow.check();
    });
  } catch (error) {
    return finish(connection, failure(error));
  }
  flow.control(running);
  // A client that leaves takes its command with it.
  if (connection.closed.aborted) running.abort();
  connection.closed.addEventListener("abort", () => running.abort());
  const broken = feed(connection, running);
  const ended = running.exitCode.then(encodeExit, failure);
  const last = await Promise.race([ended, broken]);
  finish(connection, last);
}

function finish(connection: ExecChannels, status: Buffer): void {
  connection.send(Channel.error, status);
  connection.end();
}

function failure(error: unknown): Buffer {
  const { status, body } = errorAnswer(error);
  return encodeFailure(body.error, status);
}

/** Holds a command up while its reader is slow. */
class Flow {
  #running: InteractiveExec | undefined;
  #held = false;

  constructor(private readonly connection: ExecChannels) {}

  control(running: InteractiveExec): void {
    this.#running = running;
    this.check();
  }

  check(): void {
    const running = this.#running;
    if (this.#held || !this.connection.full || running?.pause === undefined) return;
    this.#held = true;
    running.pause();
    void this.connection.drained().then(() => {
      this.#held = false;
      running.resume?.();
    });
  }
}

/**
 * Passes input to the command, as fast as it takes it. Resolves with the failure for an invalid message, which ends
 * the command. Pending forever otherwise.
 */
async function feed(connection: ExecChannels, running: InteractiveExec): Promise<Buffer> {
  try {
    for await (const { channel, data } of connection.messages()) {
      if (channel === Channel.stdin) {
        if (data.length > 0) running.write(data);
        await running.drained?.();
      } else if (channel === Channel.resize) {
        const { columns, rows } = decodeSize(data);
        running.resize(columns, rows);
      } else if (channel === Channel.close) {
        if (data[0] === Channel.stdin) running.endInput();
      } else {
        throw new Error(`A message to channel ${channel}: expected stdin (0), resize (4) or close (255).`);
      }
    }
  } catch (error) {
    if (!connection.closed.aborted) {
      running.abort();
      return failure(invalid("message", "the channel protocol", errorText(error)));
    }
  }
  return new Promise(() => undefined);
}
