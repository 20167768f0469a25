/** Streams that the agent ends after some hours, as their reader sees them. */
import type { Pod } from "@hooklet/manifest";
import type { OutputFrame, PodChange } from "@hooklet/streams";
import { expect, test } from "@jest/globals";
import type { Event } from "kubernetes-types/core/v1.js";
import { eventChanges, logFrames, podChanges } from "../../../src/client/going-on.js";

const pod = (name: string, phase = "Running"): Pod =>
  ({ metadata: { name, uid: name, namespace: "default" }, spec: { containers: [] }, status: { phase } }) as never;
const change = (type: PodChange["type"], object: Pod): PodChange => ({ type, object });
const words = ({ type, object }: PodChange): string => `${type} ${object.metadata.name} ${object.status?.phase}`;

async function* stream<T>(...items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

/** One stream after the other, then the reader leaves. */
function several<T>(...streams: readonly (readonly T[])[]) {
  const left = new AbortController();
  const waiting = [...streams];
  return {
    signal: left.signal,
    watch: async (): Promise<AsyncGenerator<T>> => {
      const next = waiting.shift() ?? [];
      if (waiting.length === 0) left.abort();
      return stream(...next);
    },
  };
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

test("pods that have not changed are not reported again; changed, new and deleted ones are", async () => {
  const [a, b, c, d] = [pod("a"), pod("b"), pod("c"), pod("d")];
  const streams = several(
    [change("ADDED", a), change("ADDED", b), change("ADDED", c)],
    [
      change("ADDED", a),
      change("ADDED", pod("b", "Failed")),
      change("ADDED", d),
      change("MODIFIED", pod("d", "Failed")),
    ],
  );
  const recorded = await all(podChanges(streams, async () => [a, pod("b", "Failed"), d]));
  expect(recorded.map(words)).toEqual([
    "ADDED a Running",
    "ADDED b Running",
    "ADDED c Running",
    "DELETED c Running",
    "MODIFIED b Failed",
    "ADDED d Running",
    "MODIFIED d Failed",
  ]);
});

test("a pod that goes while the list is requested is reported once", async () => {
  const a = pod("a");
  const streams = several([change("ADDED", a)], [change("ADDED", a), change("DELETED", a)]);
  const recorded = await all(podChanges(streams, async () => []));
  expect(recorded.map(words).filter((text) => text.startsWith("DELETED"))).toHaveLength(1);
});

test("events that have not changed are not reported again; one that counted up is", async () => {
  const event = (name: string, count: number): Event => ({ metadata: { name, namespace: "default" }, count }) as never;
  const streams = several([event("a", 1), event("b", 1)], [event("a", 1), event("b", 2), event("c", 1)]);
  const recorded = await all(eventChanges(streams));
  expect(recorded.map(({ metadata, count }) => `${metadata.name} ${count}`)).toEqual(["a 1", "b 1", "b 2", "c 1"]);
});

test("within one stream everything is reported as it comes", async () => {
  const event = { metadata: { name: "a", namespace: "default" }, count: 1 } as never;
  expect(await all(eventChanges(several([event, event])))).toHaveLength(2);
});

test("a log goes on from where the agent says, and ends where it says nothing", async () => {
  const asked: (string | undefined)[] = [];
  const streams: OutputFrame[][] = [
    [{ stdout: Buffer.from("a") }, { from: "7:1" }],
    [{ from: "7:1" }],
    [{ stdout: Buffer.from("b") }],
  ];
  const frames = logFrames((from) => {
    asked.push(from);
    return stream(...(streams.shift() ?? []));
  });
  const said = await all(frames);
  expect(said.map((frame) => ("stdout" in frame ? frame.stdout.toString() : frame))).toEqual(["a", "b"]);
  expect(asked).toEqual([undefined, "7:1", "7:1"]);
});
