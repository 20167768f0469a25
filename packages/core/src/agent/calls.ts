/**
 * The request-response calls of the control socket: methods of AgentApi. The server's routes and the client's methods are
 * derived from this table. Pure.
 */
import type { AgentApi } from "./api.js";

export interface Call {
  readonly method: "GET" | "POST" | "DELETE";
  /** Steps that begin with a colon are fields of the request. */
  readonly path: string;
  /** The method's arguments: each the name of a field of the request, or of an object the names of its fields. */
  readonly takes: readonly (string | readonly string[])[];
  /** The field that is the body, as it is. Other fields go in the query; without such a body those of a POST are one, as JSON. */
  readonly text?: string;
  /** Clients that may read the node's tables may call it; all others are the owner's. */
  readonly reads?: true;
}

const podName = ["namespace", "name"] as const;

export const calls = {
  pod: { method: "GET", path: "/pods/:namespace/:name", takes: [podName], reads: true },
  node: { method: "GET", path: "/node", takes: [], reads: true },
  plugins: { method: "GET", path: "/plugins", takes: [], reads: true },
  views: { method: "GET", path: "/views", takes: [], reads: true },
  view: { method: "GET", path: "/view", takes: ["name"], reads: true },
  images: { method: "GET", path: "/images", takes: [] },
  reload: { method: "POST", path: "/reload", takes: [] },
  apply: { method: "POST", path: "/apply", takes: ["manifest", "where"], text: "manifest" },
  deletePod: { method: "DELETE", path: "/pods/:namespace/:name", takes: [podName, ["gracePeriodSeconds"]] },
  restartPod: { method: "POST", path: "/pods/:namespace/:name/restart", takes: [podName] },
  objects: { method: "GET", path: "/objects/:kind", takes: ["kind"] },
  deleteObject: { method: "DELETE", path: "/objects/:kind/:namespace/:name", takes: ["kind", podName] },
  plan: { method: "POST", path: "/plan", takes: ["plugin", ["manifest", "arguments"]] },
  switchPlugin: { method: "POST", path: "/plugins/switch", takes: ["name", "active"] },
  importImage: { method: "POST", path: "/images/import", takes: ["name", "path"] },
  removeImage: { method: "DELETE", path: "/images", takes: ["name"] },
} as const satisfies Partial<Record<keyof AgentApi, Call>>;

export type CallName = keyof typeof calls;

type Asked<Method> = Method extends (...given: infer Given) => infer Answer
  ? (...given: Given) => Promise<Awaited<Answer>>
  : never;

/** The same methods at the other end of the socket. */
export type AgentCalls = { readonly [Name in CallName]: Asked<AgentApi[Name]> };
