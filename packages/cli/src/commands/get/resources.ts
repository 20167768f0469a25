/** What `get` shows besides pods, events and the tables of plugins. */

import type { Image } from "@hooklet/core";
import type { NodeReport, PluginReport } from "@hooklet/core/base";
import type { Node } from "kubernetes-types/core/v1.js";
import type { AgentClient } from "../../client/agent-client.js";
import { AgentAnswerError } from "../../client/transport.js";
import { imageRows, nodeObject, nodeRows, pluginRows, type Unready } from "../../print/node-text.js";
import type { Kind } from "../../show.js";

// Options of `get` and `events`.

export interface GetOptions {
  /** As outputFormat takes it. */
  readonly output?: string;
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  readonly fieldSelector?: string;
  readonly showLabels?: boolean;
  readonly watch?: boolean;
  readonly watchOnly?: boolean;
  /** `--no-headers`. */
  readonly headers?: boolean;
}

export interface EventsOptions extends GetOptions {
  readonly for?: string;
  /** `Normal,Warning`. */
  readonly types?: string;
  readonly follow?: boolean;
}

export interface Resource<T> {
  /** By which people know it, the one for messages first. */
  readonly names: readonly string[];
  /** A plugin's view of this name is shown in its place. */
  readonly view?: string;
  /** There is only ever one: an object, no list. */
  readonly isOne?: boolean;
  /** `asObject`: it will be shown as what Kubernetes has of it, which may take more than its table. */
  list(client: AgentClient, now: number, asObject: boolean): Promise<readonly T[]>;
  nameOf(item: T): string;
  kind(now: number): Kind<T>;
}

/** Undefined: the node is ready. */
export async function unreadyNode(client: AgentClient): Promise<Unready | undefined> {
  const message = await client.unready();
  if (message === undefined) return undefined;
  const events = await client.events();
  const last = events.findLast(({ reason }) => reason === "NodeNotReady" || reason === "NodeReady");
  const since = last?.reason === "NodeNotReady" ? Date.parse(last.lastTimestamp ?? "") : Number.NaN;
  return { message, since: Number.isNaN(since) ? undefined : since };
}

interface ShownNode {
  readonly report: NodeReport;
  readonly isReady: boolean;
  readonly object?: Node;
}

const node: Resource<ShownNode> = {
  names: ["node", "nodes", "no"],
  isOne: true,
  list: async (client, now, asObject) => {
    const [report, unready] = await Promise.all([client.node(), unreadyNode(client)]);
    const isReady = unready === undefined;
    if (!asObject) return [{ report, isReady }];
    return [{ report, isReady, object: nodeObject(report, await imagesIfAny(client), unready, now) }];
  },
  nameOf: ({ report }) => report.name,
  kind: (now) => ({
    name: ({ report }) => `node/${report.name}`,
    object: ({ object, report }) => object ?? report,
    rows: (items, wide) => nodeRows(items, wide, now),
  }),
};

/** What the agent answers for a runtime that does not, or not in time. */
const RUNTIME_IS_DOWN: ReadonlySet<string> = new Set(["unavailable", "deadline-exceeded"]);

/** None while the runtime is down: its node is asked for all the more then. */
async function imagesIfAny(client: AgentClient): Promise<readonly Image[]> {
  try {
    return await client.images();
  } catch (error) {
    if (error instanceof AgentAnswerError && RUNTIME_IS_DOWN.has(error.answerCode)) return [];
    throw error;
  }
}

const plugins: Resource<PluginReport> = {
  names: ["plugins", "plugin"],
  list: (client) => client.plugins(),
  nameOf: ({ name }) => name,
  kind: () => ({
    name: ({ name }) => `plugin/${name}`,
    object: (plugin) => plugin,
    rows: pluginRows,
    list: (items) => items,
  }),
};

const images: Resource<Image> = {
  names: ["images", "image"],
  view: "images",
  list: (client) => client.images(),
  nameOf: ({ id, repoTags }) => repoTags[0] ?? id,
  kind: () => ({
    name: ({ id, repoTags }) => `image/${repoTags[0] ?? id}`,
    object: (image) => image,
    rows: imageRows,
    list: (items) => items,
  }),
};

// biome-ignore lint/suspicious/noExplicitAny: each is shown by its own kind
export const resources: readonly Resource<any>[] = [node, plugins, images];
