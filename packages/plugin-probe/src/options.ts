/** The plugin's options in the rc file. The defaults are the kubelet's behaviour. */
import type { OptionsSchema } from "@hooklet/core";

export interface ProbeOptions {
  readonly subSecond: boolean;
  readonly hosts: "any" | "pod";
  readonly grpcTLS: boolean;
  readonly maxConcurrent: { readonly exec: number; readonly http: number; readonly tcp: number; readonly grpc: number };
}

const SLOTS = 100_000;

export const options: OptionsSchema<ProbeOptions> = (z) => {
  const slots = (standard: number) => z.int().min(1).max(SLOTS).default(standard);
  return z.object({
    subSecond: z
      .boolean()
      .default(false)
      .describe(
        "Allow the annotations probe.hooklet.dev/<container>.<kind>.periodMilliseconds and .timeoutMilliseconds.",
      ),
    hosts: z
      .enum(["any", "pod"])
      .default("any")
      .describe("pod: refuse pods whose probes go to another host than the pod's own address."),
    grpcTLS: z
      .boolean()
      .default(false)
      .describe("Allow the annotation probe.hooklet.dev/<container>.<kind>.tls: gRPC over TLS, not verified."),
    maxConcurrent: z
      .object({ exec: slots(64), http: slots(4096), tcp: slots(4096), grpc: slots(1024) })
      .prefault({})
      .describe("Probes under way at the same time, by handler; others wait, which is reported."),
  });
};
