import { createServer, type Server, type Socket } from "node:net";
import type { Pod } from "@hooklet/manifest";
import { errorText, invalid, NodeAgentError, notFound } from "@hooklet/utils";
import type { AgentClient } from "../client/agent-client.js";
import { type Context, withAgent } from "../context.js";
import { type Io, printLine, tell } from "../io.js";
import { podName } from "../pod-argument.js";

export interface PortForwardOptions {
  readonly namespace?: string;
  readonly address: string;
}

interface Forward {
  /** 0: any that is free. */
  readonly local: number;
  readonly remote: number;
}

interface Target extends Forward {
  readonly pod: { readonly name: string; readonly namespace: string };
}

/** `hooklet port-forward POD [LOCAL:]PORT...`: until it is interrupted. */
export function portForward(
  context: Context,
  pod: string,
  ports: readonly string[],
  { namespace = "default", address }: PortForwardOptions,
): Promise<number> {
  return withAgent(context, async (client) => {
    const { io } = context;
    const name = { name: podName(pod), namespace };
    const [{ can, runtime }, found] = await Promise.all([client.node(), client.pod(name)]);
    if (!can.portForward)
      throw new NodeAgentError(
        "UNSUPPORTED",
        `Runtime ${runtime.runtimeName} cannot forward ports: connect to the pod's IP from the node.`,
      );
    if (found.status?.phase !== "Running") throw new NodeAgentError("NOT_RUNNING", notRunning(found));
    const forwards = ports.map((text) => parseForward(withNumber(text, found)));
    const interrupted = new Promise<void>((resolve) => {
      for (const signal of ["SIGINT", "SIGTERM"] as const) io.onSignal(signal, resolve);
    });
    const servers: Server[] = [];
    const sockets = new Set<Socket>();
    try {
      for (const forward of forwards)
        servers.push(await listen(io, client, { ...forward, pod: name }, address, sockets));
      await interrupted;
    } finally {
      for (const server of servers) server.close();
      for (const socket of sockets) socket.destroy();
    }
    return 0;
  });
}

/** As kubectl says it. */
function notRunning({ metadata, status }: Pod): string {
  return `Pod ${metadata.name} is not running: its phase is ${status?.phase ?? "Pending"}. hooklet explain pod ${metadata.name} says why.`;
}

/** The name of a container's port as its number; what is none stays. @throws NodeAgentError NOT_FOUND with the names there are */
export function withNumber(text: string, { spec }: Pod): string {
  const [, local = "", name] = /^(\d{0,5}:)?(?=[\d-]*[a-z])([a-z\d-]+)$/.exec(text) ?? [];
  if (name === undefined) return text;
  const ports = spec.containers.flatMap((container) => container.ports ?? []);
  const port = ports.find((one) => one.name === name);
  if (port === undefined)
    throw notFound(
      "port",
      name,
      ports.flatMap((one) => one.name ?? []),
    );
  return `${local}${port.containerPort}`;
}

/** `8080:80`, `:80` (any free local port) or `80`. @throws NodeAgentError INVALID */
export function parseForward(text: string): Forward {
  const [, local, remote] = /^(?:(\d{0,5}):)?(\d{1,5})$/.exec(text) ?? [];
  const forward = { local: Number(local ?? remote), remote: Number(remote) };
  if (remote === undefined || forward.remote === 0 || forward.remote > 65_535 || forward.local > 65_535)
    throw invalid("port", "[LOCAL:]PORT, for example 8080:80", text);
  return forward;
}

async function listen(
  io: Io,
  client: AgentClient,
  target: Target,
  address: string,
  sockets: Set<Socket>,
): Promise<Server> {
  const { local, remote, pod } = target;
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    // A program that breaks off closes the socket, which ends the forwarding.
    socket.on("error", () => undefined);
    void printLine(io.stdout, `Handling connection for ${portOf(server)}`);
    client.portForward(pod, remote, socket).catch((error: unknown) => {
      void tell(io, `Forwarding ${portOf(server)} -> ${remote} failed: ${errorText(error)}`);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => {
      const text = `Cannot listen on ${address}:${local}: ${errorText(cause)}. Choose another port as LOCAL:${remote}.`;
      reject(new NodeAgentError("INVALID", text, { cause }));
    });
    server.listen(local, address, resolve);
  });
  await printLine(io.stdout, `Forwarding from ${address}:${portOf(server)} -> ${remote}`);
  return server;
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
