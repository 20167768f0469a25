/** The endpoints of an agent, and what each has: exposure as data. */

export interface Endpoint {
  /** Name of the endpoint in messages. */
  readonly name: string;
  /** An API server names pods by their whole names, hands errors on as text, and is handed on to a runtime's own streaming server. */
  readonly client: "person" | "apiServer";
  /** Every user of the machine reaches it: requests are small and short. */
  readonly isOpen: boolean;
  /** What a Host header may say: names of the machine's loopback alone, or any. */
  readonly hosts: "local" | "any";
  readonly metrics: boolean;
  /** Pods, events, statistics: whole, with the values left out that may be secrets, or not at all. */
  readonly reads: "whole" | "withoutValues" | "none";
  /** The node's tables, as `hooklet get` prints them. */
  readonly tables: boolean;
  readonly changes: boolean;
  /** Logs, exec, attach and port-forward. */
  readonly pods: boolean;
  readonly streams: StreamLimits;
}

/** Streams of one endpoint. A reader requests a stream that ended again, as a Kubernetes watch. */
export interface StreamLimits {
  readonly atOnce: number;
  /** Milliseconds in which nothing was sent. */
  readonly idle: number;
  /** Milliseconds from its beginning. */
  readonly total: number;
}

/**
 * Milliseconds: of silence, and in all. Both are the kubelet's for its server (streamingConnectionIdleTimeout; WriteTimeout in
 * pkg/kubelet/server/server.go); commands, attachments and forwarded ports have the first alone, as there.
 */
const HOURS_4 = 4 * 3_600_000;

/** For readers without authentication. */
const passing: StreamLimits = { atOnce: 32, idle: 5 * 60_000, total: 30 * 60_000 };

/** `server`: for clients that the API server authorizes, mainly itself. */
export const nodeServer: Endpoint = {
  name: "node server",
  client: "apiServer",
  isOpen: false,
  hosts: "any",
  metrics: true,
  reads: "whole",
  tables: false,
  changes: false,
  pods: true,
  streams: { atOnce: 1024, idle: HOURS_4, total: HOURS_4 },
};

/** `socket`: for root or the owner, with all rights. */
export const control: Endpoint = {
  name: "control socket",
  client: "person",
  isOpen: false,
  hosts: "any",
  metrics: true,
  reads: "whole",
  tables: true,
  changes: true,
  pods: true,
  streams: { atOnce: 256, idle: HOURS_4, total: HOURS_4 },
};

/** `readOnlySocket`: for a group. */
export const readOnlySocket: Endpoint = {
  name: "read-only socket",
  client: "person",
  isOpen: false,
  hosts: "any",
  metrics: true,
  reads: "withoutValues",
  tables: true,
  changes: false,
  pods: false,
  streams: passing,
};

/** `readOnlyPort`: for everybody on the machine. */
export const readOnlyPort: Endpoint = {
  name: "read-only port",
  client: "person",
  isOpen: true,
  hosts: "local",
  metrics: true,
  reads: "withoutValues",
  tables: false,
  changes: false,
  pods: false,
  streams: passing,
};

/** `healthzPort`: health alone, without authentication. It has nothing of interest to a web page. */
export const healthOnly: Endpoint = {
  name: "port for health",
  client: "person",
  isOpen: true,
  hosts: "any",
  metrics: false,
  reads: "none",
  tables: false,
  changes: false,
  pods: false,
  streams: passing,
};

/** `port`: health and metrics. */
export const healthPort: Endpoint = {
  name: "port for health and metrics",
  client: "person",
  isOpen: true,
  hosts: "local",
  metrics: true,
  reads: "none",
  tables: false,
  changes: false,
  pods: false,
  streams: passing,
};
