/** Websockets over the agent's unix socket. */
import { Agent, type IncomingMessage } from "node:http";
import { ChannelConnection, MAX_MESSAGE_BYTES, PROTOCOLS } from "@hooklet/server/channels";
import { WebSocket } from "ws";
import { answerError, notReached } from "./transport.js";

/** @throws AgentAnswerError when the agent refuses, or NodeAgentError AGENT_NOT_RUNNING when nobody answers */
export async function openChannels(socket: string, path: string): Promise<ChannelConnection> {
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
