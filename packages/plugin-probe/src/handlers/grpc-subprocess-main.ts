/** The subprocess that makes gRPC probes. */

import { serveHelper } from "@hooklet/linux";
import { systemClock } from "@hooklet/utils";
import type { GrpcRequest } from "../types.js";
import { grpcCall } from "./grpc-call.js";

serveHelper({ grpc: (request: GrpcRequest) => grpcCall(systemClock, request) });
