/** Both listeners of an agent. */

import { cannotListen, errorText } from "@hooklet/core/base";
import type { FastifyInstance } from "fastify";
import { buildApp } from "./app.js";
import type { ServerContext } from "./server-context.js";
import { controlSocket } from "./unix-socket.js";

export interface ServerOptions extends ServerContext {
  /** Path of the control socket. */
  readonly socket: string;
  /** Port on 127.0.0.1; 0 = none. */
  readonly port: number;
}

export interface Servers {
  /** Ends all requests, streams too, and removes the socket. */
  stop(): Promise<void>;
}

/**
 * Starts both; when one cannot be had, none is left.
 * @throws NodeAgentError CANNOT_LISTEN naming the socket or port that cannot be had
 */
export async function startServers(options: ServerOptions): Promise<Servers> {
  const control = buildApp(options, "socket");
  const socket = await controlSocket(options.socket, (path) => control.listen({ path }));
  const started: FastifyInstance[] = [control];
  const stop = async (): Promise<void> => {
    await socket.remove();
    await Promise.all(started.map((app) => app.close()));
  };
  if (options.port === 0) return { stop };
  const loopback = buildApp(options, "loopback");
  started.push(loopback);
  try {
    await loopback.listen({ host: "127.0.0.1", port: options.port });
  } catch (cause) {
    await stop();
    throw cannotListen(`127.0.0.1:${options.port}`, errorText(cause), "Choose another --port, or 0 for none.", cause);
  }
  return { stop };
}
