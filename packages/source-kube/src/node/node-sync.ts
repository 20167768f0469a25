/** The Node of this agent in the API: registered, then kept as the agent is. */
import { type Clock, sleep } from "@hooklet/core";
import { pause } from "@hooklet/core/subsystem";
import type { Node } from "kubernetes-types/core/v1.js";
import { isApiError } from "../client/api-error.js";
import { BackOff, type BackOffRule } from "../client/back-off.js";
import type { KubeClient } from "../client/client.js";
import { ListWatch } from "../client/list-watch.js";
import { paths } from "../client/paths.js";
import type { KubeObject } from "../client/watch-events.js";
import type { NodeLease } from "./node-lease.js";
import { isSameStatus, newNode, nodePatch, type Registration, type StatusInApi, statusPatch } from "./node-object.js";
import { type ApiCondition, type NodeStatus, transitions } from "./node-status.js";

export type ApiNode = Node & KubeObject;

export interface NodeSyncPorts {
  /** The heartbeat's client: its connection has no other users. */
  readonly client: Pick<KubeClient, "get" | "create" | "patch">;
  readonly watches: Pick<KubeClient, "get" | "stream" | "pause">;
  readonly clock: Clock;
  readonly random: () => number;
  readonly nodeName: string;
  readonly registerNode: boolean;
  /** All but the status. */
  registration(): Omit<Registration, "status">;
  /** `before`: the conditions that the API has. */
  status(before: readonly ApiCondition[]): Promise<NodeStatus>;
  /** Why the node takes no pods, which costs less than its status; none: it does. */
  notReady(): Promise<readonly string[]>;
  /** Seconds. */
  readonly nodeStatusUpdateFrequency: number;
  readonly nodeStatusReportFrequency: number;
  /** Called after a condition of the node changed. Returns what ends it. */
  watchConditions(listener: () => void): () => void;
  /** Called with the node as the API has it, whenever that changes. */
  seen(node: ApiNode): void;
  readonly nodeLease: Pick<NodeLease, "acts" | "watch">;
  /** An event `Node NAME status is now: REASON`. */
  transition(reason: string): void;
  report(where: string, error: unknown): void;
}

const registering: BackOffRule = { first: 100, last: 7_000, jitter: 0, reset: Number.POSITIVE_INFINITY };
/** Milliseconds between two checks until the node is reported ready. */
const FIRST_LOOKS = 100;
/** Milliseconds after the registration in which these checks run: each calls the runtime. */
const FIRST_LOOKS_LAST = 120_000;
/** Milliseconds that a pod's admission waits for it. */
const SECOND_LOOK = 2_000;
/** Milliseconds after a failed read without another one: pods are admitted one after the other, and would all wait. */
const IN_VAIN = 10_000;
/** Tries of one report, from the second on upon what the API has now. */
const TRIES = 5;

export class NodeSync {
  #node: ApiNode | undefined;
  #resolveKnown: () => void = () => undefined;
  /** Resolves once the Node is in the API. */
  readonly known = new Promise<void>((resolve) => {
    this.#resolveKnown = resolve;
  });
  #reportedReady = false;
  /** Monotonic milliseconds. */
  #firstLooksEnd = 0;
  /** At the last of the first checks nothing kept the node from being ready. */
  #well = false;
  #reportAt = 0;
  /** The last try failed: a series of failures is reported once. */
  #failing = false;
  #lastConditions: readonly ApiCondition[] = [];
  /** Monotonic milliseconds. */
  #noLookUntil = Number.NEGATIVE_INFINITY;
  readonly #watch: ListWatch<ApiNode>;

  constructor(private readonly ports: NodeSyncPorts) {
    const { watches: client, clock, random, nodeName, report } = ports;
    this.#watch = new ListWatch<ApiNode>({
      client,
      clock,
      random,
      path: paths.nodes,
      query: { fieldSelector: `metadata.name=${nodeName}` },
      sink: {
        replace: ([node]) => this.#saw(node),
        changed: (type, node) => this.#saw(type === "DELETED" ? undefined : node),
        failed: (error) => report("watch of the node", error),
      },
    });
  }

  get uid(): string | undefined {
    return this.#node?.metadata.uid;
  }

  get node(): ApiNode | undefined {
    return this.#node;
  }

  /** Until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { nodeStatusUpdateFrequency } = this.ports;
    await this.#register(signal);
    if (signal.aborted) return;
    this.#firstLooksEnd = this.ports.clock.monotonic() + FIRST_LOOKS_LAST;
    this.#watch.start();
    let changed = new AbortController();
    const end = this.ports.watchConditions(() => changed.abort());
    this.ports.nodeLease.watch(() => changed.abort());
    while (!signal.aborted) {
      changed = new AbortController();
      // What an agent says that is not known to have the node any more may be another one's to say.
      if (this.ports.nodeLease.acts) await this.#check(signal);
      await this.#pause(nodeStatusUpdateFrequency * 1_000, AbortSignal.any([signal, changed.signal]));
    }
    end();
    await this.#watch.stop();
  }

  /** Waits until the next check; in the first minutes of a node that is not reported ready, at most until it is. */
  async #pause(milliseconds: number, cut: AbortSignal): Promise<void> {
    const { clock, notReady } = this.ports;
    const until = clock.monotonic() + milliseconds;
    while (!cut.aborted && clock.monotonic() < until) {
      const left = until - clock.monotonic();
      const isFirst = !this.#reportedReady && clock.monotonic() < this.#firstLooksEnd;
      await pause(clock, isFirst ? Math.min(left, FIRST_LOOKS) : left, cut);
      if (!isFirst || cut.aborted) continue;
      const isReady = (await notReady()).length === 0;
      // The node has just become ready: report it. Other reasons against a report are checked in their own time.
      const came = isReady && !this.#well;
      this.#well = isReady;
      if (came) return;
    }
  }

  async #register(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.ports;
    const waits = new BackOff(registering, random);
    while (!signal.aborted) {
      try {
        this.#saw(await this.#registered(signal));
        this.#failing = false;
        this.#resolveKnown();
        return;
      } catch (error) {
        if (signal.aborted) return;
        this.#failed("registration of the node", error);
        await pause(clock, waits.failed(clock.monotonic()), signal);
      }
    }
  }

  /**
   * Reads the Node now; labels and taints that others set are known when it resolves. Rejects with ApiError, or with the signal's reason; after
   * a failed read it resolves at once for 10 s. `client`: not the heartbeat's, where a late answer counts as an outage.
   */
  async refresh(client: Pick<KubeClient, "get">, signal: AbortSignal): Promise<void> {
    const { clock, nodeName } = this.ports;
    if (clock.monotonic() < this.#noLookUntil) return;
    try {
      this.#saw(await client.get<ApiNode>(paths.node(nodeName), { signal, timeout: SECOND_LOOK }));
    } catch (error) {
      if (!signal.aborted) this.#noLookUntil = clock.monotonic() + IN_VAIN;
      throw error;
    }
  }

  async #registered(signal: AbortSignal): Promise<ApiNode> {
    const { client, nodeName, registerNode } = this.ports;
    const registration = this.ports.registration();
    if (registerNode) {
      const status = await this.ports.status([]);
      try {
        return await client.create<ApiNode>(paths.nodes, newNode({ ...registration, status }), { signal });
      } catch (error) {
        if (!isApiError(error, 409, 403)) throw error;
      }
    }
    const found = await client.get<ApiNode>(paths.node(nodeName), { signal });
    const patch = nodePatch(found, registration.labels, registration.providerID);
    return patch === undefined ? found : client.patch<ApiNode>(paths.node(nodeName), patch, { signal });
  }

  async #check(signal: AbortSignal): Promise<void> {
    try {
      await this.#tell(signal);
      this.#failing = false;
    } catch (error) {
      if (signal.aborted) return;
      if (isApiError(error, 404)) await this.#register(signal);
      else this.#failed("status of the node", error);
    }
  }

  async #tell(signal: AbortSignal): Promise<void> {
    const { client, clock, random, nodeName, nodeStatusReportFrequency, nodeStatusUpdateFrequency } = this.ports;
    for (let tries = 1; ; tries += 1) {
      const inApi = statusOf(this.#node);
      const status = await this.ports.status(inApi.conditions ?? []);
      const changed = !isSameStatus(status, inApi);
      if (!changed && clock.monotonic() < this.#reportAt) {
        this.#reported(status);
        return;
      }
      try {
        const patch = { status: statusPatch(status, inApi) };
        const timeout = nodeStatusUpdateFrequency * 1_000;
        this.#saw(await client.patch<ApiNode>(`${paths.node(nodeName)}/status`, patch, { signal, timeout }));
        // Not all nodes of a cluster at the same moment.
        const shift = changed ? random() - 0.5 : 0;
        this.#reportAt = clock.monotonic() + nodeStatusReportFrequency * 1_000 * (1 + shift);
        this.#reported(status);
        return;
      } catch (error) {
        if (signal.aborted || tries >= TRIES || isApiError(error, 404)) throw error;
        await sleep(clock, FIRST_LOOKS * tries, signal);
        this.#saw(await client.get<ApiNode>(paths.node(nodeName), { signal }));
      }
    }
  }

  #reported({ conditions }: NodeStatus): void {
    for (const reason of transitions(this.#lastConditions, conditions)) this.ports.transition(reason);
    this.#lastConditions = conditions;
    this.#reportedReady ||= conditions.some(({ type, status }) => type === "Ready" && status === "True");
  }

  #saw(node: ApiNode | undefined): void {
    this.#node = node;
    if (node !== undefined) this.ports.seen(node);
  }

  #failed(where: string, error: unknown): void {
    if (!this.#failing) this.ports.report(where, error);
    this.#failing = true;
  }
}

function statusOf(node: ApiNode | undefined): StatusInApi {
  return (node?.status ?? {}) as unknown as StatusInApi;
}
