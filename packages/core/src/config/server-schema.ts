/** `server` of the rc file: the kubelet's server. Pure. */
import { z } from "zod";
import { duration, path, whole } from "./values.js";

const enabled = (byDefault: boolean, what: string) =>
  z.strictObject({ enabled: z.boolean().default(byDefault).describe(what) }).prefault({});

export const serverSchema = z
  .strictObject({
    address: z
      .union([z.ipv4(), z.ipv6()], { error: "an IP address" })
      .default("0.0.0.0")
      .describe("Address on which it listens."),
    port: whole(1, 65_535).default(10_250).describe("Port on which it listens."),
    streamingConnectionIdleTimeout: duration("1s", "8760h")
      .prefault("4h")
      .describe("How long a log, watch, command, attachment or forwarded port may be silent in both directions."),
    tlsCertFile: path()
      .optional()
      .describe(
        "Certificate in PEM, with those between it and its authority. Default: one that is signed by itself, in rootDir.",
      ),
    tlsPrivateKeyFile: path().optional().describe("Key of tlsCertFile, in PEM."),
    authentication: z
      .strictObject({
        anonymous: enabled(false, "Requests without credentials are those of system:anonymous."),
        webhook: z
          .strictObject({
            enabled: z.boolean().default(true).describe("Bearer tokens are reviewed by the API server."),
            cacheTTL: duration("0s", "24h").prefault("2m").describe("How long the answer holds."),
          })
          .prefault({}),
        x509: z
          .strictObject({
            clientCAFile: path()
              .optional()
              .describe("Authorities of client certificates, in PEM: CN is the user, O its groups."),
          })
          .prefault({}),
      })
      .prefault({}),
    authorization: z
      .strictObject({
        mode: z
          .enum(["Webhook", "AlwaysAllow"], { error: "Webhook or AlwaysAllow" })
          .default("Webhook")
          .describe("Webhook: the API server says what a user may ask for. AlwaysAllow: whoever is let in may do all."),
        webhook: z
          .strictObject({
            cacheAuthorizedTTL: duration("0s", "24h").prefault("5m").describe("How long an allowance holds."),
            cacheUnauthorizedTTL: duration("0s", "24h").prefault("30s").describe("How long a refusal holds."),
          })
          .prefault({}),
      })
      .prefault({}),
  })
  .refine(({ tlsCertFile, tlsPrivateKeyFile }) => (tlsCertFile === undefined) === (tlsPrivateKeyFile === undefined), {
    error: "tlsCertFile and tlsPrivateKeyFile together, or neither",
  })
  .nullable()
  .default(null)
  .describe(
    "The kubelet's server: logs, exec, attach, port-forward, statistics and metrics over HTTPS, for an API server and what asks through it. null = none.",
  );
