/** gRPC health probe (grpc.health.v1): one connection, one Check, one timeout over both. */
import { type ChannelOptions, Client, status as Code, credentials, logVerbosity, setLogVerbosity } from "@grpc/grpc-js";
import { fromJSON, type PackageDefinition } from "@grpc/proto-loader";
import type { Clock } from "@hooklet/core";
import { formatDuration } from "@hooklet/core";
import type { Attempt, GrpcRequest } from "../types.js";
import { USER_AGENT } from "./http-headers.js";
import { joinHostPort } from "./target.js";
import { type GrpcOutcome, grpcVerdict } from "./verdict.js";

// It writes what a container answers to standard error, past the agent's log; each error comes back with its call.
setLogVerbosity(logVerbosity.NONE);

/** grpc/health/v1/health.proto, the part that is used. */
const health: PackageDefinition = fromJSON(
  {
    nested: {
      HealthCheckRequest: { fields: { service: { type: "string", id: 1 } } },
      HealthCheckResponse: {
        fields: { status: { type: "ServingStatus", id: 1 } },
        nested: { ServingStatus: { values: { UNKNOWN: 0, SERVING: 1, NOT_SERVING: 2, SERVICE_UNKNOWN: 3 } } },
      },
      Health: {
        methods: { Check: { requestType: "HealthCheckRequest", responseType: "HealthCheckResponse", comment: "" } },
      },
    },
  },
  { enums: String, defaults: true },
);

interface Check {
  readonly requestSerialize: (request: object) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => object;
}

const { requestSerialize, responseDeserialize } = (health.Health as unknown as Record<"Check", Check>).Check;

const OPTIONS: ChannelOptions = {
  "grpc.primary_user_agent": USER_AGENT,
  // A connection of its own for each probe, no proxy, no service config from DNS.
  "grpc.use_local_subchannel_pool": 1,
  "grpc.enable_http_proxy": 0,
  "grpc.service_config_disable_resolution": 1,
  "grpc.enable_retries": 0,
  "grpc.initial_reconnect_backoff_ms": 100,
  "grpc.max_reconnect_backoff_ms": 500,
  "grpc.max_receive_message_length": 64 * 1024,
};

/** Never rejects. */
export function grpcCall(clock: Clock, request: GrpcRequest): Promise<Attempt> {
  const { host, port, service, timeoutMilliseconds, tls } = request;
  const address = joinHostPort(host, port);
  const secure = tls
    ? credentials.createSsl(null, null, null, { rejectUnauthorized: false })
    : credentials.createInsecure();
  // Go dials this machine where there is no host.
  const client = new Client(joinHostPort(host === "" ? "localhost" : host, port), secure, OPTIONS);
  return new Promise((resolve) => {
    let settled = false;
    let connected = false;
    const done = (outcome: GrpcOutcome): void => {
      if (settled) return;
      settled = true;
      timer.cancel();
      client.close();
      resolve(grpcVerdict(outcome, address, formatDuration(timeoutMilliseconds / 1000)));
    };
    const timer = clock.schedule(timeoutMilliseconds, () => done({ type: connected ? "no-answer" : "no-connection" }));
    client.waitForReady(Number.POSITIVE_INFINITY, (error) => {
      if (settled) return;
      if (error) return done({ type: "not-connected", text: error.message });
      connected = true;
      const path = "/grpc.health.v1.Health/Check";
      client.makeUnaryRequest(path, requestSerialize, responseDeserialize, { service }, (failure, answer) => {
        if (failure) return done(outcomeOf(failure.code, failure.details));
        done({ type: "status", status: String((answer as { readonly status?: unknown }).status) });
      });
    });
  });
}

function outcomeOf(code: Code, text: string): GrpcOutcome {
  if (code === Code.UNIMPLEMENTED) return { type: "unimplemented", text };
  if (code === Code.DEADLINE_EXCEEDED) return { type: "no-answer" };
  return { type: "error", code: codeText(code), text };
}

/** `NOT_FOUND` is `NotFound` in Go, and a number that is no code `Code(99)`: a pod may answer anything. */
function codeText(code: Code): string {
  const name: string | undefined = Code[code];
  if (name === undefined) return `Code(${code})`;
  return name.toLowerCase().replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());
}
