/** A server in a process of its own, so that its CPU is not ours: answers any request, and ends. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

const PROGRAM = `
const answer = Buffer.from("HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\nConnection: close\\r\\n\\r\\nok");
require("net").createServer((socket) => {
  socket.on("error", () => socket.destroy());
  socket.on("data", () => socket.end(answer));
  socket.on("end", () => socket.destroy());
}).listen({ port: 0, host: "0.0.0.0", backlog: 4096 }, function () { console.log(this.address().port); });
`;

export async function withServer<T>(use: (port: number) => Promise<T>): Promise<T> {
  const server: ChildProcess = spawn(process.execPath, ["-e", PROGRAM], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const port = await new Promise<number>((resolve, reject) => {
      server.once("error", reject);
      createInterface(server.stdout as Readable).once("line", (line) => resolve(Number(line)));
    });
    return await use(port);
  } finally {
    server.kill("SIGKILL");
  }
}
