/** Streams of the agent that go on for as long as their reader wants: the agent ends each after some hours, and it is asked for again. */
import type { Pod } from "@hooklet/manifest";
import type { OutputFrame, PodChange } from "@hooklet/streams";
import type { Event } from "kubernetes-types/core/v1.js";

/** More events are not remembered: the agent keeps as many. */
const EVENTS = 5_000;

/** Ends when its signal is aborted. */
export interface Watching<T> {
  readonly signal?: AbortSignal;
  /** Resolves once the agent has begun. */
  readonly watch: () => Promise<AsyncGenerator<T>>;
}

/**
 * All pods as ADDED, then what changes. After an interruption unchanged pods are not reported again, and pods that are gone are reported.
 * @param list all pods, requested when the next stream has begun, which reports what is deleted later
 */
export async function* podChanges(
  { signal, watch }: Watching<PodChange>,
  list: () => Promise<readonly Pod[]>,
): AsyncGenerator<PodChange> {
  const known = new Map<string, { readonly pod: Pod; readonly text: string }>();
  const newChange = (change: PodChange): PodChange | undefined => {
    const { uid } = change.object.metadata;
    const before = known.get(uid);
    if (change.type === "DELETED") {
      known.delete(uid);
      return before === undefined ? undefined : change;
    }
    const text = JSON.stringify(change.object);
    known.set(uid, { pod: change.object, text });
    if (before === undefined) return { ...change, type: "ADDED" };
    return before.text === text ? undefined : { ...change, type: "MODIFIED" };
  };
  for (let again = false; signal?.aborted !== true; again = true) {
    const stream = await watch();
    /** Of pods that have gone between the beginning of the stream and the list; the stream tells of their end as well. */
    const over = new Set<string>();
    if (again) {
      const there = new Set((await list()).map(({ metadata }) => metadata.uid));
      const gone = [...known.values()].filter(({ pod }) => !there.has(pod.metadata.uid));
      for (const { pod } of gone) {
        known.delete(pod.metadata.uid);
        over.add(pod.metadata.uid);
        yield { type: "DELETED", object: pod };
      }
    }
    for await (const change of stream) {
      const fresh = over.has(change.object.metadata.uid) ? undefined : newChange(change);
      if (fresh !== undefined) yield fresh;
    }
  }
}

/** The events so far, then each new one; after an interruption unchanged events are not reported again. */
export async function* eventChanges({ signal, watch }: Watching<Event>): AsyncGenerator<Event> {
  const known = new Map<string, string>();
  for (let again = false; signal?.aborted !== true; again = true) {
    for await (const event of await watch()) {
      const name = `${event.metadata.namespace}/${event.metadata.name}`;
      const text = JSON.stringify(event);
      if (again && known.get(name) === text) continue;
      known.delete(name);
      known.set(name, text);
      for (const [oldest] of known) {
        if (known.size <= EVENTS) break;
        known.delete(oldest);
      }
      yield event;
    }
  }
}

/** Of a log, as it reaches who asked for it. */
export type LogFrame = Exclude<OutputFrame, { readonly from: string }>;

/** What a container writes. The agent names the place from which the next stream goes on, unless the log has ended. */
export async function* logFrames(
  read: (from: string | undefined) => AsyncGenerator<OutputFrame>,
): AsyncGenerator<LogFrame> {
  for (let from: string | undefined, more = true; more; ) {
    more = false;
    for await (const frame of read(from)) {
      if ("from" in frame) [from, more] = [frame.from, true];
      else yield frame;
    }
  }
}
