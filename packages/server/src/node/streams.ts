/** Exec, attach and port-forward of the kubelet's server: upgrades, SPDY or websockets. */
import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { errorText } from "@hooklet/core/base";
import type { PodStream } from "@hooklet/core/host";
import { namespacedName } from "@hooklet/manifest";
import { WebSocketServer } from "ws";
import { ChannelConnection } from "../channels/connection.js";
import { servePort } from "../channels/forward.js";
import { Channel, MAX_MESSAGE_BYTES, negotiate } from "../channels/protocol.js";
import { type ExecChannels, serveExec } from "../channels/serve-exec.js";
import { endWhenIdle } from "../idle.js";
import type { ServerContext } from "../server-context.js";
import { acceptSpdy, spdyProtocol } from "../spdy/accept.js";
import { EXEC_PROTOCOLS, SpdyExec } from "../spdy/exec.js";
import { PORT_FORWARD_PROTOCOLS, portForwarder } from "../spdy/port-forward.js";
import { errorAnswer } from "../wire/error-body.js";
import type { Guard } from "./guard.js";
import { podNamed } from "./pod-named.js";
import { splice } from "./splice.js";
import { type StreamTarget, streamTarget } from "./stream-request.js";

export class NodeStreams {
  readonly #websockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    handleProtocols: (offered) => negotiate(offered) ?? false,
  });

  constructor(
    private readonly context: ServerContext,
    private readonly guard: Pick<Guard, "check">,
    /** Milliseconds of silence in both directions after which a stream is broken off. */
    private readonly idle: number,
  ) {}

  /** Never rejects. */
  async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    // Until it is handed on nobody else listens for what becomes of it.
    socket.on("error", () => socket.destroy());
    try {
      const verdict = await this.guard.check(request);
      if (verdict.status !== 200) return refuse(socket, verdict.status, verdict.text);
      const target = streamTarget(request.url ?? "/");
      if (target === undefined) return refuse(socket, 404, "there is nothing to upgrade to here");
      if (typeof target === "string") return refuse(socket, 400, target);
      const { api, clock, log } = this.context;
      const pod = podNamed(api, target);
      if (pod === undefined) return refuse(socket, 404, "pod does not exist");
      if (target.uid !== undefined && pod.metadata.uid !== target.uid) return refuse(socket, 404, "pod not found");
      const url = await api.streamUrl(target, target.request);
      // Whoever left meanwhile is not waited for by anybody.
      if (socket.destroyed) return;
      log.info({ audit: { user: verdict.user.name } }, `audit: ${auditText(target)}; by ${verdict.user.name}`);
      if (url !== undefined) await splice(request, socket, head, url, clock);
      if (url !== undefined || isSpdy(request)) this.#endWhenIdle(request.socket);
      if (url === undefined) this.#carry(request, socket, head, target);
    } catch (error) {
      const { status, body } = errorAnswer(error);
      refuse(socket, status, body.error);
    }
  }

  /** Ends all that is carried here; what is spliced ends with its connections. */
  close(): void {
    for (const client of this.#websockets.clients) client.terminate();
    this.#websockets.close();
  }

  /** By bytes: what is spliced is anybody's, and SPDY's pings count for the runtimes' own servers too. A websocket counts its messages. */
  #endWhenIdle(socket: Socket): void {
    const moved = (): number => socket.bytesRead + socket.bytesWritten;
    const rest = endWhenIdle(this.context.clock, this.idle, moved, () => socket.destroy());
    socket.once("close", rest);
    if (socket.destroyed) rest();
  }

  /** For runtimes without a streaming server: the channel protocol, spoken by the agent. */
  #carry(request: IncomingMessage, socket: Duplex, head: Buffer, target: StreamTarget): void {
    const { request: wanted } = target;
    if (wanted.kind === "attach") {
      refuse(socket, 501, "the runtime of this node does not support attach");
      return;
    }
    const known = wanted.kind === "exec" ? EXEC_PROTOCOLS : PORT_FORWARD_PROTOCOLS;
    const protocol = spdyProtocol(request, known);
    if (protocol !== undefined) {
      void this.#serveSpdy(socket, head, protocol, target, wanted);
      return;
    }
    if (request.headers.upgrade?.toLowerCase() !== "websocket") {
      refuse(socket, 403, `expected an upgrade to SPDY/3.1 of ${known.join(" or ")}, or to a websocket`);
      return;
    }
    this.#websockets.handleUpgrade(request, socket, head, (client) => {
      const connection = new ChannelConnection(client);
      connection.watch(this.context.clock, this.idle);
      void this.#serve(connection, target, wanted);
    });
  }

  async #serveSpdy(
    socket: Duplex,
    head: Buffer,
    protocol: string,
    target: StreamTarget,
    wanted: Exclude<PodStream, { kind: "attach" }>,
  ): Promise<void> {
    const { api, clock } = this.context;
    if (wanted.kind === "portForward") {
      acceptSpdy(
        socket,
        head,
        protocol,
        portForwarder((port) => api.portForward(target, port)),
      );
      return;
    }
    const channels = new SpdyExec(wanted);
    const connection = acceptSpdy(socket, head, protocol, (headers, stream) => channels.take(headers, stream));
    try {
      await channels.opened(connection, clock);
      await this.#exec(channels, target, wanted);
    } catch {
      connection.terminate();
    }
  }

  /** Never rejects. */
  #exec(channels: ExecChannels, target: StreamTarget, wanted: Extract<PodStream, { kind: "exec" }>): Promise<void> {
    const { container, command, tty, stdin, stdout, stderr } = wanted;
    return serveExec(channels, (output) =>
      this.context.api.exec(target, container, { command, tty, stdin }, (stream, data) => {
        if (stream === "stdout" ? stdout : stderr) output(stream, data);
      }),
    );
  }

  async #serve(connection: ChannelConnection, target: StreamTarget, wanted: PodStream): Promise<void> {
    const { api } = this.context;
    if (wanted.kind === "portForward") {
      const [port = 0] = wanted.ports;
      return servePort(connection, port, () => api.portForward(target, port));
    }
    if (wanted.kind !== "exec") return;
    // Some clients wait for a first message before they believe in the connection; so does the kubelet's server.
    connection.send(wanted.stdout ? Channel.stdout : Channel.error, Buffer.alloc(0));
    await this.#exec(connection, target, wanted);
  }
}

function isSpdy({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === "spdy/3.1";
}

/** The first word of a command alone: the others may hold secrets. */
function auditText({ namespace, name, request }: StreamTarget): string {
  const pod = `pod ${namespacedName({ namespace, name })}`;
  if (request.kind === "exec") return `exec in ${pod}: ${request.command[0] ?? ""}`;
  return request.kind === "attach" ? `attach to ${pod}` : `port-forward to ${pod}`;
}

function refuse(socket: Duplex, status: number, text: string): void {
  if (socket.destroyed) return;
  const body = Buffer.from(errorText(text));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Error"}`,
    "Content-Type: text/plain; charset=utf-8",
    `Content-Length: ${body.length}`,
    "Connection: close",
  ];
  socket.end(Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body]));
}
