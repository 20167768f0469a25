import { systemClock } from "@hooklet/core/host";
import { grpcProbe } from "@hooklet/plugin-probe";
import type { Adapter } from "../adapter.js";
import { healthServer } from "./probe-grpc-server.js";
import { freePort, withServer } from "./probes.js";

interface Input {
  readonly host?: string;
  readonly port?: number;
  readonly service?: string;
  readonly server?: "http1" | "grpc";
  readonly status?: string;
  readonly delaySeconds?: number;
  readonly timeoutSeconds?: number;
}

export const adapter: Adapter<Input> = {
  async run({
    host = "127.0.0.1",
    port,
    service = "",
    server,
    status = "SERVING",
    delaySeconds = 0,
    timeoutSeconds = 1,
  }) {
    const probe = (at: number) =>
      grpcProbe(systemClock, { host, port: at, service, timeoutMilliseconds: timeoutSeconds * 1000, tls: false });
    const answer = async () => {
      if (server === "grpc") return healthServer(status, delaySeconds * 1000, probe);
      if (server === "http1") {
        return withServer((socket) => socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\n\r\n")), probe);
      }
      return probe(port ?? (await freePort()));
    };
    const { result, output, error } = await answer();
    return { result, output, error: error ?? null };
  },
  part: (answer: Readonly<Record<string, unknown>>, expected: object) =>
    Object.fromEntries(Object.keys(expected).map((key) => [key, answer[key]])),
};
