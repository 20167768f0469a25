/** All listeners of an agent. */

import { type Clock, cannotListen, errorText } from "@hooklet/core/base";
import type { AgentApi } from "@hooklet/core/host";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { buildApp } from "./app.js";
import { HttpDoor } from "./http-door.js";
import { NodeDoor, type NodeDoorOptions } from "./node/node-door.js";
import { portHolderText } from "./port-holder.js";
import { control, healthOnly, healthPort, readOnlyPort, readOnlySocket, type Surface } from "./surfaces.js";
import { ownSocket } from "./unix-socket.js";

export interface ServerOptions {
  /** Path of the control socket. */
  readonly socket: string;
  /** Port on 127.0.0.1 for health and metrics; 0 = none. */
  readonly port: number;
  /** For health alone; undefined = none. */
  readonly healthz?: { readonly address: string; readonly port: number };
  /** Port on 127.0.0.1 for what else can be read, with values left out; 0 or undefined = none. */
  readonly readOnlyPort?: number;
  /** A socket for a group, for what can be read, with values left out. */
  readonly readOnlySocket?: { readonly path: string; readonly group: number };
  /** The kubelet's server. */
  readonly node?: Pick<NodeDoorOptions, "config" | "rootDir" | "nodeName" | "nodeIp">;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface Servers {
  /** Ends all requests, streams too, and removes the sockets. May be called twice. */
  stop(): Promise<void>;
}

export interface BoundServers extends Servers {
  /** Answers from now on. Until then all who ask are told that the agent starts. */
  serve(api: AgentApi): Promise<void>;
}

interface Door {
  readonly surface: Surface;
  readonly door: HttpDoor;
  /** What is left of it in the file system. */
  remove(): Promise<void>;
}

/**
 * Takes every socket and port, all or none.
 * @throws NodeAgentError CANNOT_LISTEN naming the socket or port that cannot be had
 */
export async function bindServers(options: ServerOptions): Promise<BoundServers> {
  const doors: Door[] = [];
  const apps: FastifyInstance[] = [];
  let node: NodeDoor | undefined;
  const stop = async (): Promise<void> => {
    for (const { remove } of doors) await remove();
    const closing = apps.map((app) => app.close());
    await Promise.all([...doors.map(({ door }) => door.close()), node?.close()]);
    await Promise.all(closing);
  };
  let stopped: Promise<void> | undefined;
  const once = (): Promise<void> => {
    stopped ??= stop();
    return stopped;
  };
  try {
    // Ports first: a taken one is the likelier fault, and leaves nothing in the file system.
    const { port, healthz, clock } = options;
    if (port !== 0) doors.push(await onPort(healthPort, { port }, "--port", clock));
    if (healthz !== undefined) doors.push(await onPort(healthOnly, healthz, "healthzPort", clock));
    if (options.node !== undefined) node = await NodeDoor.open({ ...options.node, clock, log: options.log });
    const { readOnlyPort: readPort = 0, readOnlySocket: read } = options;
    if (readPort !== 0) doors.push(await onPort(readOnlyPort, { port: readPort }, "readOnlyPort", clock));
    doors.push(await onSocket(control, options.socket, { mode: 0o600 }));
    if (read !== undefined) doors.push(await onSocket(readOnlySocket, read.path, { mode: 0o660, group: read.group }));
  } catch (error) {
    await once();
    throw error;
  }
  return {
    stop: once,
    serve: async (api) => {
      const context = { api, clock: options.clock, log: options.log };
      for (const { surface, door } of doors) apps.push(buildApp(context, surface, door));
      await Promise.all([...apps.map((app) => app.ready()), node?.serve(api)]);
      for (const { door } of doors) door.serve();
    },
  };
}

/** Binds and serves at once, for an agent that is there already. @throws NodeAgentError CANNOT_LISTEN */
export async function startServers({ api, ...options }: ServerOptions & { readonly api: AgentApi }): Promise<Servers> {
  const servers = await bindServers(options);
  try {
    await servers.serve(api);
  } catch (error) {
    await servers.stop();
    throw error;
  }
  return servers;
}

async function onPort(
  surface: Surface,
  { address = "127.0.0.1", port }: { readonly address?: string; readonly port: number },
  option: string,
  clock: Clock,
): Promise<Door> {
  const door = new HttpDoor(surface);
  try {
    await door.listen({ host: address, port });
  } catch (cause) {
    const why = `${errorText(cause)}${await portHolderText(port, clock)}`;
    throw cannotListen(`${address}:${port}`, why, `Choose another ${option}, or 0 for none.`, cause);
  }
  return { surface, door, remove: async () => {} };
}

async function onSocket(
  surface: Surface,
  path: string,
  who: { readonly mode: number; readonly group?: number },
): Promise<Door> {
  const door = new HttpDoor(surface);
  const socket = await ownSocket(path, (born) => door.listen({ path: born }), who);
  return { surface, door, remove: () => socket.remove() };
}
