/** gRPC health probe; the gRPC library (about 10 MiB in memory) is loaded at the first one. */
import type { Clock } from "@hooklet/core";
import type { Attempt } from "../types.js";

export interface GrpcRequest {
  readonly host: string;
  readonly port: number;
  readonly service: string;
  readonly timeoutMilliseconds: number;
  /** TLS without verification; a kubelet has none. */
  readonly tls: boolean;
}

/** Never rejects. */
export async function grpcProbe(clock: Clock, request: GrpcRequest): Promise<Attempt> {
  const { grpcCall } = await import("./grpc-call.js");
  return grpcCall(clock, request);
}
