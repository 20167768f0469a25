/** All ways to the API server: none can hold up another one. */
import type { Clock } from "@hooklet/core";
import { KubeClient } from "./client/client.js";
import { Connection, type ConnectionOptions } from "./client/connection.js";
import { CredentialFiles } from "./client/credentials.js";
import { TokenBucket } from "./client/token-bucket.js";
import type { KubeOptions } from "./options.js";

/** What a KubeClient does, whoever does it. */
export type Client = Pick<KubeClient, "get" | "create" | "replace" | "patch" | "delete" | "stream">;

export interface KubeClients {
  /** For objects, statuses, tokens. */
  readonly general: Client;
  /** For what strangers at the node's server make the agent ask. */
  readonly reviews: Client;
  readonly events: Client;
  /** Lease and status of the node: without limit, on a connection of their own. */
  readonly heartbeat: Client;
  /** Streams. */
  readonly watches: Client;
  close(): Promise<void>;
}

/** Sockets for all that is asked and answered. */
const SOCKETS = 16;

export function createClients(
  options: Pick<KubeOptions, "kubeconfig" | "kubeAPIQPS" | "kubeAPIBurst" | "eventRecordQPS" | "eventBurst">,
  {
    clock,
    userAgent,
    answered,
  }: { readonly clock: Clock; readonly userAgent: string } & Pick<ConnectionOptions, "answered">,
): KubeClients {
  const credentials = new CredentialFiles(options.kubeconfig, clock);
  const connect = (sockets?: number): Connection =>
    new Connection({ credentials, clock, userAgent, ...(sockets && { sockets }), ...(answered && { answered }) });
  const [general, reviews, events] = [connect(SOCKETS), connect(2), connect(1)];
  const [heartbeat, watches] = [connect(2), connect()];
  const bucket = (qps: number, burst: number): TokenBucket => new TokenBucket(clock, { qps, burst });
  return {
    general: new KubeClient({ connection: general, clock, bucket: bucket(options.kubeAPIQPS, options.kubeAPIBurst) }),
    reviews: new KubeClient({ connection: reviews, clock, bucket: bucket(options.kubeAPIQPS, options.kubeAPIBurst) }),
    events: new KubeClient({ connection: events, clock, bucket: bucket(options.eventRecordQPS, options.eventBurst) }),
    heartbeat: new KubeClient({ connection: heartbeat, clock }),
    watches: new KubeClient({ connection: watches, clock }),
    close: async () => {
      await Promise.all([general, reviews, events, heartbeat, watches].map((connection) => connection.close()));
    },
  };
}
