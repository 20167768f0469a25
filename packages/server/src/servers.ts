/** All listeners of an agent. */

import { existsSync } from "node:fs";
import { get } from "node:http";
import { basename, dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { AgentApi } from "@hooklet/core/host";
import { listenPrivately, makeOwnFolder, occupantOf, type PrivateSocket, type SocketAccess } from "@hooklet/linux";
import { type Clock, cannotListen, errorText, NodeAgentError } from "@hooklet/utils";
import type { Logger } from "pino";
import { Audit } from "./audit.js";
import { control, type Endpoint, healthOnly, healthPort, readOnlyPort, readOnlySocket } from "./endpoints.js";
import { httpListener, type Listener } from "./listener.js";
import { NodeServer, type NodeServerOptions } from "./node/node-server.js";
import { prepareServing, type Serving } from "./serving.js";

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
  /** A user whose folders may hold the sockets, as root's may. */
  readonly sudoUid?: number;
  /** The kubelet's server. */
  readonly node?: Pick<NodeServerOptions, "config" | "rootDir" | "nodeName" | "nodeIp">;
  readonly clock: Clock;
}

export interface Servers {
  /** Ends all requests, streams too, and removes the sockets. May be called twice. */
  stop(): Promise<void>;
}

export interface BoundServers extends Servers {
  readonly options: ServerOptions;
  /** Resolves with what begins to serve. Until then every request is answered that the agent is starting, but for what `handOver` says. */
  prepare(api: AgentApi, log: Logger): Promise<() => void>;
  /**
   * Its agent ends. Until another one serves, `/pods` lists the pods as it left them, and for everything else the agent is starting. So it is for all of the
   * kubelet's server, where reviews by the API server end with the agent.
   */
  handOver(): Promise<void>;
}

interface Bound {
  readonly endpoint: Endpoint;
  readonly listener: Listener;
  /** What is left of it in the file system. */
  remove(): Promise<void>;
}

/**
 * Takes every socket and port, all or none.
 * @param former handed over by the agent before: kept where the options are the same, otherwise stopped
 * @throws NodeAgentError CANNOT_LISTEN naming the socket or port that cannot be had
 */
export async function bindServers(options: ServerOptions, former?: BoundServers): Promise<BoundServers> {
  if (former !== undefined && isDeepStrictEqual(former.options, options) && hasSockets(options)) return former;
  await former?.stop();
  const listeners: Bound[] = [];
  let servings: readonly Serving[] = [];
  let node: NodeServer | undefined;
  const stop = async (): Promise<void> => {
    for (const { remove } of listeners) await remove();
    const closing = servings.map((serving) => serving.close());
    await Promise.all([...listeners.map(({ listener }) => listener.close()), node?.close()]);
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
    if (port !== 0) listeners.push(await onPort(healthPort, { port }, "--port", clock));
    if (healthz !== undefined) listeners.push(await onPort(healthOnly, healthz, "healthzPort", clock));
    if (options.node !== undefined) node = await NodeServer.open({ ...options.node, clock });
    const { readOnlyPort: readPort = 0, readOnlySocket: read, sudoUid } = options;
    if (readPort !== 0) listeners.push(await onPort(readOnlyPort, { port: readPort }, "readOnlyPort", clock));
    listeners.push(await onSocket(control, options.socket, { mode: 0o600 }, sudoUid));
    if (read !== undefined)
      listeners.push(await onSocket(readOnlySocket, read.path, { mode: 0o660, group: read.group }, sudoUid));
  } catch (error) {
    await once();
    throw error;
  }
  return {
    options,
    stop: once,
    prepare: async (api, log) => {
      const context = { api, clock: options.clock, log };
      const audit = new Audit(context);
      const before = servings;
      const prepared = listeners.map(({ endpoint, listener }) =>
        prepareServing(context, listener, { endpoint, audit }),
      );
      servings = await Promise.all(prepared);
      const serveNode = await node?.prepare(api, log);
      return () => {
        serveNode?.();
        for (const serving of servings) serving.serve();
        for (const serving of before) void serving.close();
      };
    },
    handOver: async () => {
      for (const { listener } of listeners) listener.handOver({ listsPods: true });
      node?.handOver();
    },
  };
}

/** Whether they are still there. */
function hasSockets({ socket, readOnlySocket }: ServerOptions): boolean {
  return existsSync(socket) && (readOnlySocket === undefined || existsSync(readOnlySocket.path));
}

/** Binds and serves at once, for a running agent. @throws NodeAgentError CANNOT_LISTEN */
export async function startServers({
  api,
  log,
  ...options
}: ServerOptions & { readonly api: AgentApi; readonly log: Logger }): Promise<Servers> {
  const servers = await bindServers(options);
  try {
    (await servers.prepare(api, log))();
  } catch (error) {
    await servers.stop();
    throw error;
  }
  return servers;
}

async function onPort(
  endpoint: Endpoint,
  { address = "127.0.0.1", port }: { readonly address?: string; readonly port: number },
  option: string,
  clock: Clock,
): Promise<Bound> {
  const listener = httpListener(endpoint);
  try {
    await listener.listen({ host: address, port });
  } catch (cause) {
    const why = `${errorText(cause)}${await portHolderText(port, clock)}`;
    throw cannotListen(`${address}:${port}`, why, `Choose another ${option}, or 0 for none.`, cause);
  }
  return { endpoint, listener, remove: async () => {} };
}

async function onSocket(
  endpoint: Endpoint,
  path: string,
  who: { readonly mode: number; readonly group?: number },
  sudoUid: number | undefined,
): Promise<Bound> {
  const listener = httpListener(endpoint);
  const socket = await ownSocket(path, (born) => listener.listen({ path: born }), who, sudoUid);
  return { endpoint, listener, remove: () => socket.remove() };
}

// Who has a port that was to be listened on.

/** Milliseconds for the whole check: the holder of the port must not delay the start, neither by silence nor by an endless answer. */
const PATIENCE = 1_000;
/** As `/healthz` begins: `ok`, or the parts, when something is wrong with one. */
const HEALTH = /^(?:ok$|\[[+-]\])/;

/** ` (something answers there as a node agent does: ...)` where its `/healthz` says so; else nothing. Never rejects. */
async function portHolderText(port: number, clock: Clock): Promise<string> {
  const text = await healthOn(port, clock);
  return HEALTH.test(text) || text.includes('"AGENT_STARTING"')
    ? " (something answers there as a node agent does: hooklet, for example of npm start, or a kubelet)"
    : "";
}

function healthOn(port: number, clock: Clock): Promise<string> {
  return new Promise((resolve) => {
    const request = get({ host: "127.0.0.1", port, path: "/healthz", agent: false }, (answer) => {
      answer.setEncoding("utf8");
      answer.once("data", end).once("end", () => end(""));
      // Cut off in the middle of its answer.
      answer.once("error", () => end(""));
    });
    const limit = clock.schedule(PATIENCE, () => end(""));
    function end(text: string): void {
      limit.cancel();
      resolve(text);
      request.destroy();
    }
    request.on("error", () => end(""));
    request.on("close", () => end(""));
  });
}

// Where the agent's sockets may be made.

/**
 * Makes a socket (0600 unless `access` says otherwise), where it replaces the file of an agent that is gone.
 * @param listen starts listening on the path that it gets
 * @param sudoUid a user whose folders count as root's
 * @throws NodeAgentError INVALID where a part of the way is another user's, CANNOT_LISTEN when the path is too long, taken by another kind of file or by a living agent
 */
async function ownSocket(
  path: string,
  listen: (path: string) => Promise<unknown>,
  access?: SocketAccess,
  sudoUid?: number,
): Promise<PrivateSocket> {
  await makeOwnFolder(dirname(path), "choose another place, with --socket, socket or readOnlySocket", sudoUid);
  await assertFree(path);
  return listenPrivately(path, listen, "Name a shorter one with --socket or --root-dir.", access);
}

async function assertFree(path: string): Promise<void> {
  const occupant = await occupantOf(path);
  if (occupant === "other") {
    throw new NodeAgentError(
      "CANNOT_LISTEN",
      `${path} is not a socket: expected nothing or the socket of an earlier agent. Name another path (--socket).`,
    );
  }
  if (occupant === "living") {
    throw new NodeAgentError(
      "CANNOT_LISTEN",
      `Another agent answers on ${path}. Stop it, or give this one its own --root-dir or --socket (${basename(path)}).`,
    );
  }
}
