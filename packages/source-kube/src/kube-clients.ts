/** All ways to the API server: none can hold up another one. */
import { TokenBucket } from "@hooklet/utils";
import { UNREACHABLE } from "./client/api-error.js";
import { KubeClient, Reach } from "./client/client.js";
import { Connection, type ConnectionOptions } from "./client/connection.js";
import type { KubeOptions } from "./options.js";

/** The methods of a KubeClient, for substitutes. */
export type Client = Pick<KubeClient, "get" | "create" | "replace" | "patch" | "delete" | "stream" | "pause">;

export interface KubeClients {
  /** For objects, tokens. */
  readonly general: Client;
  /** Where they are slow, no secret waits for them. */
  readonly statuses: Client;
  /** At the Node, by an admission that waits for it: without limit, for there is one admission at a time. */
  readonly looks: Client;
  /** Authentication at the node's server: every unknown token causes a request. */
  readonly tokenReviews: Client;
  /** Authorization of authenticated clients there. */
  readonly accessReviews: Client;
  readonly events: Client;
  /** Lease and status of the node: without rate limit, on a dedicated connection. */
  readonly heartbeat: Client;
  /** Streams. */
  readonly watches: Client;
  readonly reach: Pick<Reach, "onReturn">;
  close(): Promise<void>;
}

/** Sockets: one per concurrent status write. */
const SOCKETS = 64;

export type ClientParts = Pick<ConnectionOptions, "credentials" | "clock" | "userAgent" | "answered">;

export function createClients(
  options: Pick<KubeOptions, "kubeAPIQPS" | "kubeAPIBurst" | "eventRecordQPS" | "eventBurst">,
  { credentials, clock, userAgent, answered }: ClientParts,
): KubeClients {
  const reach = new Reach(clock);
  const heard: ConnectionOptions["answered"] = (ask, status, milliseconds) => {
    answered?.(ask, status, milliseconds);
    tellReach(reach, status, milliseconds);
  };
  const connections: Connection[] = [];
  const client = (sockets: number | undefined, bucket?: TokenBucket, answeredBy = answered): KubeClient => {
    const connection = new Connection({ credentials, clock, userAgent, sockets, answered: answeredBy });
    connections.push(connection);
    return new KubeClient({ connection, clock, reach, bucket });
  };
  const bucket = (): TokenBucket =>
    new TokenBucket(clock, { perSecond: options.kubeAPIQPS, burst: options.kubeAPIBurst });
  const shared = bucket();
  const events = new TokenBucket(clock, { perSecond: options.eventRecordQPS, burst: options.eventBurst });
  return {
    general: client(SOCKETS, shared),
    statuses: client(SOCKETS, shared),
    looks: client(1),
    tokenReviews: client(2, bucket()),
    accessReviews: client(2, bucket()),
    events: client(1, events),
    heartbeat: client(2, undefined, heard),
    watches: client(undefined),
    reach,
    close: async () => {
      await Promise.all(connections.map((connection) => connection.close()));
    },
  };
}

/** A separate client for other credentials: the first certificate is requested with a bootstrap token. */
export function createClient({ credentials, clock, userAgent }: ClientParts): {
  readonly client: KubeClient;
  close(): Promise<void>;
} {
  const connection = new Connection({ credentials, clock, userAgent });
  return {
    client: new KubeClient({ connection, clock, reach: new Reach(clock) }),
    close: () => connection.close(),
  };
}

/** A server that is overwhelmed has not come back yet. */
function tellReach(reach: Reach, status: number, milliseconds: number): void {
  if (status === UNREACHABLE) reach.failed(milliseconds);
  else if (status < 500 && status !== 429) reach.answered();
}
