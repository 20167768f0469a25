/** Real servers that behave badly. */
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const open = new Set<() => Promise<void>>();

/** For `afterEach`: all servers and their connections go. */
export async function closeServers(): Promise<void> {
  await Promise.all([...open].map((close) => close()));
  open.clear();
}

/** Serves on 127.0.0.1 what `answer` does with each connection; gives the port. */
export function serve(answer: (socket: Socket) => void, host = "127.0.0.1"): Promise<number> {
  return listen(
    createServer({ allowHalfOpen: false }, (socket) => answer(socket)),
    host,
  );
}

export function listen(server: Server, host = "127.0.0.1"): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
  });
  open.add(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, host, () => resolve((server.address() as AddressInfo).port));
  });
}

/** Serves `text` on each request, as it stands. */
export const says = (text: string) => serve((socket) => socket.once("data", () => socket.end(text)));

export function redirect(location: string): string {
  return `HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 4\r\n\r\ngone`;
}

/** A key and an untrusted certificate, for another name, long expired. */
export function badCertificate(): { readonly key: Buffer; readonly cert: Buffer } {
  const folder = mkdtempSync(join(tmpdir(), "hooklet-cert-"));
  try {
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    const request = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    execFileSync(
      "openssl",
      [...request, "-keyout", key, "-out", cert, "-days", "1", "-subj", "/CN=elsewhere.example"],
      {
        stdio: "ignore",
      },
    );
    return { key: readFileSync(key), cert: readFileSync(cert) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A process that listens with room for one connection, and is stopped: it accepts none. */
export async function frozenServer(): Promise<{ readonly port: number; end(): void }> {
  const program =
    'require("net").createServer().listen(0, "127.0.0.1", 1, function () { console.log(this.address().port) })';
  const server = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  const port = await new Promise<number>((resolve) => server.stdout.once("data", (line) => resolve(Number(line))));
  server.kill("SIGSTOP");
  return { port, end: () => void server.kill("SIGKILL") };
}
