/** The process that speaks HTTP/2 with containers in the agent's place. */
import { systemClock } from "@hooklet/core/base";
import { serveHelper } from "@hooklet/core/host";
import type { GrpcRequest } from "../types.js";
import { grpcCall } from "./grpc-call.js";
import { type HttpRequest, httpProbe } from "./http.js";

serveHelper({
  grpc: (request: GrpcRequest) => grpcCall(systemClock, request),
  http: (request: HttpRequest) => httpProbe(systemClock, request),
});
