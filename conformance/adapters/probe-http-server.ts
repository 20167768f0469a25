/** The servers of the HTTP probe's cases, on raw sockets: they also say what no HTTP library would. */
import type { Socket } from "node:net";
import { type LongText, longText, withServer } from "./probes.js";

interface Page {
  readonly status?: number;
  readonly body?: LongText;
  readonly location?: string;
  readonly delaySeconds?: number;
  readonly status_if_host?: Readonly<Record<string, number>>;
}

export type ServerTable = Readonly<Record<string, Page>>;

type ReceivedHeaders = Readonly<Record<string, string>>;

/** `received` gives the headers of the last request. */
export function serve<T>(
  table: ServerTable,
  use: (port: number, received: () => ReceivedHeaders) => Promise<T>,
): Promise<T> {
  let last: ReceivedHeaders = {};
  const server = (otherPort: number) => (socket: Socket) => {
    onRequest(socket, (path, headers) => {
      last = headers;
      const page = table[path] ?? table.default ?? { status: 404 };
      const delay = (page.delaySeconds ?? 0) * 1000;
      const timer = setTimeout(() => socket.end(answerOf(page, headers, otherPort)), delay);
      socket.on("close", () => clearTimeout(timer));
    });
  };
  return withServer(server(0), (other) => withServer(server(other), (port) => use(port, () => last)));
}

function onRequest(socket: Socket, run: (path: string, headers: ReceivedHeaders) => void): void {
  let text = "";
  socket.on("data", (data) => {
    text += data.toString("latin1");
    const end = text.indexOf("\r\n\r\n");
    if (end < 0) return;
    const [line = "", ...lines] = text.slice(0, end).split("\r\n");
    const headers = lines.map((one) => [one.slice(0, one.indexOf(":")), one.slice(one.indexOf(":") + 1).trim()]);
    run(line.split(" ")[1] ?? "", Object.fromEntries(headers));
  });
}

function answerOf(
  { status = 200, body = "", location, status_if_host: byHost }: Page,
  headers: ReceivedHeaders,
  otherPort: number,
): string {
  const code = byHost === undefined ? status : (byHost[headers.Host ?? ""] ?? byHost.else);
  const content = longText(body);
  const target = location?.replace("<same host>", "127.0.0.1").replace("<other port>", String(otherPort));
  const lines = [`HTTP/1.1 ${code} Any`, `Content-Length: ${content.length}`, "Connection: close"];
  if (target !== undefined) lines.push(`Location: ${target}`);
  return `${lines.join("\r\n")}\r\n\r\n${content}`;
}
