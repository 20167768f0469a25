/** The subprocess that makes gRPC probes. */
import { systemClock } from "@hooklet/core/base";
import { serveHelper } from "@hooklet/core/internal";
import type { GrpcRequest } from "../types.js";
import { grpcCall } from "./grpc-call.js";

serveHelper({ grpc: (request: GrpcRequest) => grpcCall(systemClock, request) });
