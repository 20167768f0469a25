/** A gRPC health server by hand over HTTP/2: one answer, as late as wanted. */
import { createServer, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";

const STATUSES = ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"];

/** A status of the health service, or an error of gRPC with its name in Go. */
export type HealthAnswer = { readonly status: string } | { readonly code: string; readonly message: string };

const CODES: Readonly<Record<string, number>> = {
  Canceled: 1,
  Unknown: 2,
  InvalidArgument: 3,
  DeadlineExceeded: 4,
  NotFound: 5,
  AlreadyExists: 6,
  PermissionDenied: 7,
  ResourceExhausted: 8,
  FailedPrecondition: 9,
  Aborted: 10,
  OutOfRange: 11,
  Unimplemented: 12,
  Internal: 13,
  Unavailable: 14,
  DataLoss: 15,
  Unauthenticated: 16,
};

const GRPC = { ":status": 200, "content-type": "application/grpc" };

/** @throws Error for a status or a code that there is not */
function answerer(answer: HealthAnswer): (stream: ServerHttp2Stream) => void {
  if ("code" in answer) {
    const code = CODES[answer.code];
    if (code === undefined) throw new Error(`gRPC has no code ${answer.code}`);
    return (stream) => {
      stream.respond({ ...GRPC, "grpc-status": String(code), "grpc-message": answer.message }, { endStream: true });
    };
  }
  const status = STATUSES.indexOf(answer.status);
  if (status < 0) throw new Error(`the health service has no status ${answer.status}`);
  // One message: not compressed, two bytes long, field 1 is the status.
  const message = Buffer.from([0, 0, 0, 0, 2, 8, status]);
  return (stream) => {
    stream.respond(GRPC, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
    stream.end(message);
  };
}

export async function healthServer<T>(
  said: HealthAnswer,
  delay: number,
  use: (port: number) => Promise<T>,
): Promise<T> {
  const respond = answerer(said);
  const timers = new Set<NodeJS.Timeout>();
  const sessions = new Set<{ destroy(): void }>();
  const server = createServer();
  server.on("session", (session) => sessions.add(session));
  server.on("stream", (stream) => {
    stream.on("error", () => {});
    const answer = (): void => {
      if (!stream.destroyed) respond(stream);
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
