/** Exec, attach and port-forward: upgrades to SPDY or to a websocket, with the kubelet's paths and query, on every endpoint that lets into pods. */
import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { PodStream } from "@hooklet/core/host";
import { namespacedName } from "@hooklet/manifest";
import { type ErrorBody, endWhenIdle } from "@hooklet/streams";
import {
  Channel,
  ChannelConnection,
  MAX_MESSAGE_BYTES,
  negotiate,
  PROTOCOLS,
  servePort,
} from "@hooklet/streams/channels";
import { invalid, NodeAgentError } from "@hooklet/utils";
import type { FastifyInstance } from "fastify";
import { WebSocketServer } from "ws";
import type { Endpoint } from "../endpoints.js";
import { ANSWER_HEADERS, errorAnswer, JSON_TYPE, TEXT_TYPE } from "../error-answer.js";
import { podNamed } from "../query.js";
import { otherVersion, type ServerContext } from "../server-context.js";
import { type ExecChannels, serveExec } from "./serve-exec.js";
import { acceptSpdy, spdyProtocol } from "./spdy-connection.js";
import { EXEC_PROTOCOLS, SpdyExec } from "./spdy-exec.js";
import { PORT_FORWARD_PROTOCOLS, portForwarder } from "./spdy-port-forward.js";
import { splice } from "./splice.js";
import { type StreamTarget, streamTarget } from "./stream-request.js";

/** Does the work, and records its client. */
export type Noted = <T>(what: string, work: () => Promise<T>) => Promise<T>;

/** Whether a client may make a request. Never rejects. */
export type Admission = (
  request: IncomingMessage,
) => Promise<
  { readonly status: 401 | 403 | 500; readonly text: string } | { readonly status: 200; readonly noted: Noted }
>;

export interface UpgradesOptions {
  readonly endpoint: Pick<Endpoint, "client" | "streams">;
  readonly admit: Admission;
}

interface Asked {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** What the client sent already. */
  readonly head: Buffer;
  readonly target: StreamTarget;
  readonly noted: Noted;
}

export class Upgrades {
  readonly #websockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    handleProtocols: (offered) => negotiate(offered) ?? false,
  });

  constructor(
    private readonly context: ServerContext,
    private readonly options: UpgradesOptions,
  ) {}

  /** Never rejects. */
  async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    // Until the socket is handed on, its errors have no other listener.
    socket.on("error", () => socket.destroy());
    try {
      const admitted = await this.options.admit(request);
      if (admitted.status !== 200)
        return this.#refuse(socket, admitted.status, { error: admitted.text, code: "FORBIDDEN" });
      const target = streamTarget(request.url ?? "/");
      this.#count(request, socket, typeof target === "object" ? target.request.kind : "others");
      const more = this.options.endpoint.client === "person" ? otherVersion(this.context.api) : "";
      if (target === undefined) throw new NodeAgentError("NOT_FOUND", `there is nothing to upgrade to here${more}`);
      if (typeof target === "string") throw new NodeAgentError("INVALID", `${target}${more}`);
      await this.#serve({ request, socket, head, target, noted: admitted.noted });
    } catch (error) {
      const { status, body } = errorAnswer(error);
      this.#refuse(socket, status, body);
    }
  }

  /** Ends all that is carried here; what is spliced ends with its connections. */
  close(): void {
    for (const client of this.#websockets.clients) client.terminate();
    this.#websockets.close();
  }

  #count({ method = "" }: IncomingMessage, socket: Duplex, path: string): void {
    const over = this.context.api.httpRequest({
      method,
      path,
      serverType: "readwrite",
      longRunning: path !== "others",
    });
    if (socket.destroyed) over();
    else socket.once("close", over);
  }

  async #serve(asked: Asked): Promise<void> {
    const { api, clock } = this.context;
    const { request, socket, head, target, noted } = asked;
    const isKubelet = this.options.endpoint.client === "apiServer";
    if (isKubelet && podNamed(api, target) === undefined) throw new NodeAgentError("NOT_FOUND", "pod does not exist");
    if (target.uid !== undefined && api.pod(target).metadata.uid !== target.uid)
      throw new NodeAgentError("NOT_FOUND", "pod not found");
    // The CLI speaks v5.channel.k8s.io, which closes standard input; not every runtime's own server does.
    const url = isKubelet ? await api.streamUrl(target, target.request) : undefined;
    // The client may have left meanwhile.
    if (socket.destroyed) return;
    if (url !== undefined) {
      await noted(streamText(target), () => splice(request, socket, head, url, clock));
      this.#endWhenIdle(request.socket);
      return;
    }
    if (isSpdy(request)) this.#endWhenIdle(request.socket);
    this.#carry(asked);
  }

  /** By bytes: spliced streams are opaque, and SPDY's pings count for the runtimes' own servers too. A websocket counts its messages. */
  #endWhenIdle(socket: Socket): void {
    const moved = (): number => socket.bytesRead + socket.bytesWritten;
    const rest = endWhenIdle(this.context.clock, this.options.endpoint.streams.idle, moved, () => socket.destroy());
    socket.once("close", rest);
    if (socket.destroyed) rest();
  }

  /** For runtimes without a streaming server: the channel protocol, spoken by the agent. */
  #carry(asked: Asked): void {
    const { request, socket, head, target } = asked;
    const { kind } = target.request;
    if (kind === "attach") throw new NodeAgentError("UNSUPPORTED", "the runtime of this node does not support attach");
    const known = kind === "exec" ? EXEC_PROTOCOLS : PORT_FORWARD_PROTOCOLS;
    const protocol = spdyProtocol(request, known);
    if (protocol !== undefined) {
      void this.#carrySpdy(asked, protocol);
      return;
    }
    if (request.headers.upgrade?.toLowerCase() !== "websocket") {
      const text = `expected an upgrade to SPDY/3.1 of ${known.join(" or ")}, or to a websocket`;
      this.#refuse(socket, 403, { error: text, code: "FORBIDDEN" });
      return;
    }
    const offered = request.headers["sec-websocket-protocol"];
    if (offered !== undefined && negotiate(offered.split(",").map((one) => one.trim())) === undefined) {
      throw invalid("Sec-WebSocket-Protocol", `one of ${PROTOCOLS.join(", ")}`, offered);
    }
    this.#websockets.handleUpgrade(request, socket, head, (client) => {
      const connection = new ChannelConnection(client);
      connection.watch(this.context.clock, this.options.endpoint.streams.idle);
      void this.#carryChannels(connection, asked);
    });
  }

  async #carrySpdy(asked: Asked, protocol: string): Promise<void> {
    const { socket, head, target } = asked;
    const { request: wanted } = target;
    if (wanted.kind !== "exec") {
      const open = portForwarder((port) => this.#port(asked, port));
      acceptSpdy(socket, head, protocol, open);
      return;
    }
    const channels = new SpdyExec(wanted);
    const connection = acceptSpdy(socket, head, protocol, (headers, stream) => channels.take(headers, stream));
    try {
      await channels.opened(connection, this.context.clock);
      await this.#exec(channels, asked, wanted);
    } catch {
      connection.terminate();
    }
  }

  async #carryChannels(connection: ChannelConnection, asked: Asked): Promise<void> {
    const { request: wanted } = asked.target;
    if (wanted.kind === "portForward") {
      const [port = 0] = wanted.ports;
      return servePort(connection, port, () => this.#port(asked, port));
    }
    if (wanted.kind !== "exec") return;
    // Some clients wait for a first message before they believe in the connection; so does the kubelet's server.
    connection.send(wanted.stdout ? Channel.stdout : Channel.error, Buffer.alloc(0));
    await this.#exec(connection, asked, wanted);
  }

  #port({ target, noted }: Asked, port: number): Promise<Duplex> {
    const one = { ...target, request: { kind: "portForward", ports: [port] } } as const;
    return noted(streamText(one), () => this.context.api.portForward(target, port));
  }

  /** Never rejects. */
  #exec(
    channels: ExecChannels,
    { target, noted }: Asked,
    { container, command, tty, stdin, stdout, stderr }: Extract<PodStream, { kind: "exec" }>,
  ): Promise<void> {
    const { api, clock } = this.context;
    const what = streamText(target);
    return serveExec(channels, clock, async (output) => {
      const running = await noted(what, () =>
        api.exec(target, container, { command, tty, stdin, signal: channels.closed }, (stream, data) => {
          if (stream === "stdout" ? stdout : stderr) output(stream, data);
        }),
      );
      // The runtimes behind the CRI say only then that they could not run it.
      running.exitCode.catch((error: unknown) => noted(what, () => Promise.reject(error)).catch(() => undefined));
      return running;
    });
  }

  #refuse(socket: Duplex, status: number, answer: ErrorBody): void {
    if (socket.destroyed) return;
    const isText = this.options.endpoint.client === "apiServer";
    const body = Buffer.from(isText ? answer.error : JSON.stringify(answer));
    const headers = {
      ...ANSWER_HEADERS,
      "content-type": isText ? TEXT_TYPE : JSON_TYPE,
      "content-length": body.length,
      connection: "close",
    };
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Error"}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ];
    socket.end(Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body]));
  }
}

/** Refuses exec, attach and port-forward that are not sent as an upgrade. */
export function upgradeRequiredRoutes(app: FastifyInstance): void {
  for (const kind of ["exec", "attach", "portForward"])
    app.all(`/${kind}/*`, async () => {
      throw new NodeAgentError(
        "INVALID",
        "This is a stream: send the request as an upgrade to SPDY/3.1 or to a websocket.",
      );
    });
}

function isSpdy({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === "spdy/3.1";
}

/** The first word of a command alone: the others may contain secrets. */
function streamText({ namespace, name, request }: StreamTarget): string {
  const pod = `pod ${namespacedName({ namespace, name })}`;
  if (request.kind === "exec") return `exec in ${pod}: ${request.command[0] ?? ""}`;
  if (request.kind === "attach") return `attach to ${pod}`;
  return `port-forward to ${request.ports.map((port) => `port ${port} of `).join("")}${pod}`;
}
