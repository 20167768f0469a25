/** A gRPC health server by hand over HTTP/2: one answer, as late as wanted. */
import { createServer } from "node:http2";
import type { AddressInfo } from "node:net";

const STATUSES = ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"];

export async function healthServer<T>(status: string, delay: number, use: (port: number) => Promise<T>): Promise<T> {
  // One message: not compressed, two bytes long, field 1 is the status.
  const message = Buffer.from([0, 0, 0, 0, 2, 8, STATUSES.indexOf(status)]);
  const timers = new Set<NodeJS.Timeout>();
  const sessions = new Set<{ destroy(): void }>();
  const server = createServer();
  server.on("session", (session) => sessions.add(session));
  server.on("stream", (stream) => {
    stream.on("error", () => {});
    const answer = (): void => {
      if (stream.destroyed) return;
      stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
      stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
      stream.end(message);
    };
    timers.add(setTimeout(answer, delay));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await use((server.address() as AddressInfo).port);
  } finally {
    for (const timer of timers) clearTimeout(timer);
    for (const session of sessions) session.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}
