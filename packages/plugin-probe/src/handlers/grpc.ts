/** gRPC health probe; HTTP/2 and protobuf are loaded at the first one. */
import type { Clock } from "@hooklet/core";
import type { Attempt, GrpcRequest } from "../types.js";

/** Never rejects. */
export async function grpcProbe(clock: Clock, request: GrpcRequest): Promise<Attempt> {
  const { grpcCall } = await import("./grpc-call.js");
  return grpcCall(clock, request);
}
