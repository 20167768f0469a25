/** Both ends of a forwarded connection: a port inside a pod there, a local program here. */
import type { Duplex } from "node:stream";
import { errorText, untilDrained } from "@hooklet/utils";
import type { ChannelConnection } from "./connection.js";
import { Channel, encodePort, PortChannel } from "./protocol.js";

/** The agent's end. Errors of the port go to the client. Never rejects. */
export async function servePort(
  connection: ChannelConnection,
  port: number,
  open: () => Promise<Duplex>,
): Promise<void> {
  connection.send(PortChannel.data, encodePort(port));
  connection.send(PortChannel.error, encodePort(port));
  try {
    const end = await open();
    // The client may have left meanwhile.
    if (connection.closed.aborted) end.destroy();
    else await carry(connection, end);
  } catch (error) {
    connection.send(PortChannel.error, Buffer.from(errorText(error)));
  }
  connection.end();
}

/** The client's end; the caller destroys `local`. Rejects with the agent's error about the port, or with the error of the connection. */
export async function usePort(connection: ChannelConnection, local: Duplex): Promise<void> {
  // A local program that disconnects is no error. What it sent before is still delivered.
  const leave = (): void => (local.readableEnded ? connection.end() : connection.terminate());
  local.once("close", leave);
  try {
    await carry(connection, local, { isClient: true });
  } catch (error) {
    if (!local.destroyed) throw error;
  } finally {
    local.off("close", leave);
    connection.end();
  }
}

/** Until both directions have ended. Rejects when one breaks. */
async function carry(connection: ChannelConnection, end: Duplex, { isClient = false } = {}): Promise<void> {
  const broken = new Promise<never>((_, reject) => {
    end.once("error", reject);
  });
  const gone = new Promise<void>((resolve) => {
    connection.closed.addEventListener("abort", () => resolve());
  });
  const both = Promise.all([toChannel(connection, end, isClient), fromChannel(connection, end, isClient)]);
  try {
    await Promise.race([both, broken, isClient ? both : gone]);
  } finally {
    if (!isClient) end.destroy();
    both.catch(() => undefined);
    broken.catch(() => undefined);
  }
}

async function toChannel(connection: ChannelConnection, end: Duplex, isClient: boolean): Promise<void> {
  const chunks = end.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  for await (const chunk of chunks) {
    if (!connection.send(PortChannel.data, chunk)) await connection.drained();
  }
  connection.closeChannel(PortChannel.data);
  // Where one direction cannot end alone, the end of the pod's is the end.
  if (!connection.canClose && !isClient) connection.end();
}

async function fromChannel(connection: ChannelConnection, end: Duplex, isClient: boolean): Promise<void> {
  // The agent says the port first, on each channel.
  const named = new Set<number>();
  for await (const { channel, data } of connection.messages()) {
    if (isClient && (channel === PortChannel.data || channel === PortChannel.error) && !named.has(channel)) {
      named.add(channel);
    } else if (channel === PortChannel.data) {
      if (data.length > 0 && !end.write(data)) await untilDrained(end);
    } else if (channel === PortChannel.error && isClient) {
      throw new Error(data.toString());
    } else if (channel === Channel.close && data[0] === PortChannel.data) {
      break;
    }
  }
  end.end();
}
