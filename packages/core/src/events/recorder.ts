/** Records events as the kubelet words them, in a bounded ring; a repeated event increments its count. */

import type { Pod } from "@hooklet/manifest";
import { type Clock, Listeners, rfc3339 } from "@hooklet/utils";
import type { Event } from "kubernetes-types/core/v1.js";
import type { Decision, DecisionRecorder, EventRecorder, EventType } from "../plugin/contract.js";

/** client-go's: the same event within ten minutes counts up. */
const SAME_WITHIN = 10 * 60_000;
interface RecorderOptions {
  readonly clock: Clock;
  readonly nodeName: string;
  /** Events kept. */
  readonly capacity: number;
  report(where: string, error: unknown): void;
}

export class EventLog implements EventRecorder {
  readonly #events = new Map<string, Event>();
  readonly #listeners: Listeners<[Event]>;
  #count = 0;

  constructor(private readonly options: RecorderOptions) {
    this.#listeners = new Listeners((error) => options.report("listener of events", error));
  }

  pod(
    pod: Pod,
    type: EventType,
    reason: string,
    message: string,
    container?: string,
    annotations?: Readonly<Record<string, string>>,
  ): void {
    const { name, namespace, uid } = pod.metadata;
    const fieldPath = container === undefined ? undefined : `spec.${listOf(pod, container)}{${container}}`;
    this.#record(
      { kind: "Pod", namespace, name, uid, apiVersion: "v1", ...(fieldPath === undefined ? {} : { fieldPath }) },
      type,
      reason,
      message,
      annotations,
    );
  }

  node(type: EventType, reason: string, message: string): void {
    const { nodeName } = this.options;
    this.#record({ kind: "Node", name: nodeName, uid: nodeName }, type, reason, message);
  }

  /** Oldest first. */
  list(): readonly Event[] {
    return [...this.#events.values()];
  }

  watch(listener: (event: Event) => void): () => void {
    return this.#listeners.add(listener);
  }

  #record(
    object: NonNullable<Event["involvedObject"]>,
    type: EventType,
    reason: string,
    message: string,
    annotations: Readonly<Record<string, string>> = {},
  ): void {
    const key = [object.kind, object.uid, object.fieldPath, type, reason, message].join("\n");
    const now = this.options.clock.now();
    const before = this.#events.get(key);
    const again = before !== undefined && now - Date.parse(before.lastTimestamp ?? "") < SAME_WITHIN;
    const event: Event = again
      ? { ...before, count: (before.count ?? 1) + 1, lastTimestamp: rfc3339(now) }
      : this.#fresh(object, type, reason, message, annotations, now);
    this.#events.delete(key);
    this.#events.set(key, event);
    this.#trim();
    this.#listeners.tell(event);
  }

  #fresh(
    object: NonNullable<Event["involvedObject"]>,
    type: EventType,
    reason: string,
    message: string,
    annotations: Readonly<Record<string, string>>,
    now: number,
  ): Event {
    const time = rfc3339(now);
    const id = `${Math.trunc(now).toString(16)}${(this.#count++).toString(16).padStart(4, "0")}`;
    return {
      apiVersion: "v1",
      kind: "Event",
      metadata: {
        name: `${object.name}.${id}`,
        namespace: object.namespace ?? "default",
        creationTimestamp: time,
        ...(Object.keys(annotations).length === 0 ? {} : { annotations: { ...annotations } }),
      },
      involvedObject: object,
      type,
      reason,
      message,
      count: 1,
      firstTimestamp: time,
      lastTimestamp: time,
      source: { component: "kubelet", host: this.options.nodeName },
      reportingComponent: "kubelet",
      reportingInstance: this.options.nodeName,
    };
  }

  #trim(): void {
    while (this.#events.size > this.options.capacity) {
      const oldest = this.#events.keys().next().value;
      if (oldest === undefined) return;
      this.#events.delete(oldest);
    }
  }
}

/** The list of the spec that has the container. */
function listOf({ spec }: Pod, name: string): string {
  const lists = ["containers", "ephemeralContainers"] as const;
  return lists.find((list) => spec[list]?.some((own) => own.name === name)) ?? "initContainers";
}

/** The last decisions, for `explain`: a bounded ring. */
export class DecisionLog {
  readonly #ring: Decision[] = [];
  readonly #listeners: Listeners<[Decision]>;
  #start = 0;

  constructor(
    private readonly clock: Clock,
    private readonly capacity: number,
    report: (where: string, error: unknown) => void,
  ) {
    this.#listeners = new Listeners((error) => report("listener of decisions", error));
  }

  /** Called with every decision from now on. Returns what ends it. */
  watch(listener: (decision: Decision) => void): () => void {
    return this.#listeners.add(listener);
  }

  forPlugin(plugin: string): DecisionRecorder {
    return { record: (decision) => this.#record({ at: this.clock.now(), plugin, ...decision }) };
  }

  #record(decision: Decision): void {
    if (this.#ring.length < this.capacity) this.#ring.push(decision);
    else {
      this.#ring[this.#start] = decision;
      this.#start = (this.#start + 1) % this.capacity;
    }
    this.#listeners.tell(decision);
  }

  /** Oldest first. */
  list(matches: (decision: Decision) => boolean = () => true): readonly Decision[] {
    return [...this.#ring.slice(this.#start), ...this.#ring.slice(0, this.#start)].filter(matches);
  }
}
