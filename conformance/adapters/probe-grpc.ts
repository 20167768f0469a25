import { grpcProbe, grpcVerdict } from "@hooklet/plugin-probe/internal";
import { systemClock } from "@hooklet/utils";
import type { Adapter } from "../adapter.js";
import { healthServer } from "./probe-grpc-server.js";
import { CLOSED_PORT, patience, withServer } from "./probes.js";

interface Input {
  readonly host?: string;
  readonly port?: number;
  readonly service?: string;
  readonly server?: "http1" | "grpc";
  readonly status?: string;
  readonly delaySeconds?: number;
  readonly timeoutSeconds?: number;
  /** What the server answers in place of a status. */
  readonly code?: string;
  readonly message?: string;
  readonly connect_error?: string;
  readonly addr?: string;
}

export const adapter: Adapter<Input> = {
  keys: [
    "host",
    "port",
    "timeoutSeconds",
    "service",
    "server",
    "status",
    "delaySeconds",
    "code",
    "message",
    "connect_error",
    "addr",
  ],
  async run({
    host = "127.0.0.1",
    port,
    service = "",
    server,
    status = "SERVING",
    delaySeconds = 0,
    timeoutSeconds = 1,
    code,
    message = "",
    connect_error: text,
    addr = "",
  }) {
    if (text !== undefined) {
      const { result, output, error } = grpcVerdict({ type: "not-connected", text }, addr, `${timeoutSeconds}s`);
      return { result, output, error: error ?? null };
    }
    const said = code === undefined ? { status } : { code, message };
    const probe = (at: number) =>
      grpcProbe(systemClock, {
        host,
        port: at,
        service,
        timeoutMilliseconds: patience(timeoutSeconds, server === "grpc" && delaySeconds === 0),
        tls: false,
      });
    const answer = async () => {
      if (server === "grpc") return healthServer(said, delaySeconds * 1000, probe);
      if (server === "http1") {
        return withServer((socket) => socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\n\r\n")), probe);
      }
      return probe(port ?? CLOSED_PORT);
    };
    const { result, output, error } = await answer();
    return { result, output, error: error ?? null };
  },
  part: (answer: Readonly<Record<string, unknown>>, expected: object) =>
    Object.fromEntries(Object.keys(expected).map((key) => [key, answer[key]])),
};
