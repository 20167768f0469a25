/** Options of `sources.kube`; names, units and defaults are KubeletConfiguration's where it has them. */
import { duration } from "@hooklet/core";
import { z } from "zod";

const file = z.string().min(1).max(4096);
const rate = z.number().min(0.1).max(100_000);

export const options = z.strictObject({
  kubeconfig: file.describe("File with the server and the node's credentials."),
  bootstrapKubeconfig: file
    .optional()
    .describe(
      "File with a token that may ask for the node's first certificate; used while kubeconfig is missing or its certificate is over.",
    ),
  certDirectory: file.optional().describe("Folder of the certificates that are asked for. Default: pki in rootDir."),
  rotateCertificates: z
    .boolean()
    .default(false)
    .describe("Ask for the next client certificate after 70 to 90 % of the life of the one before it."),
  serverTLSBootstrap: z
    .boolean()
    .default(false)
    .describe("Ask for the server's certificate as well, in place of one that the server signs itself; and rotate it."),
  registerNode: z.boolean().default(true).describe("Create the Node when it is not there."),
  providerID: z.string().max(1024).optional().describe("Of the machine, at its cloud: written into the Node."),
  nodeStatusUpdateFrequency: duration("1s", "1h")
    .prefault("10s")
    .describe("Time between two checks of the node's status."),
  nodeStatusReportFrequency: duration("1s", "24h")
    .prefault("5m")
    .describe("Between two reports of a status in which nothing has changed."),
  nodeLeaseDurationSeconds: z.number().int().min(4).max(3_600).default(40).describe("Seconds that the lease lasts."),
  kubeAPIQPS: rate.default(50).describe("Requests per second."),
  kubeAPIBurst: z.number().int().min(1).max(100_000).default(100).describe("Requests in a burst."),
  eventRecordQPS: rate.default(50).describe("Events per second."),
  eventBurst: z.number().int().min(1).max(100_000).default(100).describe("Events in a burst."),
});

export type KubeOptions = z.output<typeof options>;
