/** A copy of a collection that follows the server's: how it is requested, what it hears, and what it does after each kind of end. */
import { VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import { ApiError } from "../../../src/client/api-error.js";
import type { Query } from "../../../src/client/client.js";
import { ListWatch } from "../../../src/client/list-watch.js";
import type { KubeObject } from "../../../src/client/watch-events.js";

const PATH = "/api/v1/pods";
const START = { watch: true, allowWatchBookmarks: true, timeoutSeconds: 450 };
const INITIAL = { ...START, sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" };

const object = (name: string, version: string, more: object = {}): KubeObject => ({
  metadata: { name, resourceVersion: version, ...more },
});
const event = (type: string, name: string, version: string, more: object = {}) => ({
  type,
  object: object(name, version, more),
});
const end = (version: string, value = "true") => ({
  type: "BOOKMARK",
  object: { metadata: { resourceVersion: version, annotations: { "k8s.io/initial-events-end": value } } },
});
const bookmark = (version: string) => ({ type: "BOOKMARK", object: { metadata: { resourceVersion: version } } });
const error = (status: number, reason = "", seconds?: number): ApiError => new ApiError(status, reason, "m", seconds);

interface Script {
  /** Of each stream: an error, or its events and bytes; one that is open does not end by itself. */
  readonly streams?: readonly (Error | { readonly events: readonly object[]; readonly open?: boolean })[];
  /** Answers to lists, in order. */
  readonly lists?: readonly (Error | object)[];
  readonly query?: Query;
}

function watched({ streams = [], lists = [], query }: Script) {
  const clock = new VirtualClock();
  const asked: unknown[] = [];
  const heard: unknown[] = [];
  const pauses: unknown[] = [];
  let [streamed, listed] = [0, 0];
  /** The stream that is open gets these bytes. */
  let push: (text: string) => void = () => undefined;
  const watch = new ListWatch<KubeObject>({
    client: {
      get: async (path: string, { query: given, timeout }: { query: Query; timeout: number }) => {
        asked.push([clock.monotonic(), "list", path, given, timeout]);
        const next = lists[listed++] ?? { metadata: { resourceVersion: "1" }, items: [] };
        if (next instanceof Error) throw next;
        return next;
      },
      stream: async (path: string, given: Query, signal: AbortSignal) => {
        asked.push([clock.monotonic(), "watch", path, given]);
        const next = streams[streamed++] ?? { events: [], open: true };
        if (next instanceof Error) throw next;
        return (async function* () {
          for (const one of next.events) yield Buffer.isBuffer(one) ? one : Buffer.from(`${JSON.stringify(one)}\n`);
          while (next.open === true) {
            signal.throwIfAborted();
            const text = await new Promise<string>((resolve, reject) => {
              push = resolve;
              signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
            });
            yield Buffer.from(text);
          }
        })();
      },
      pause: async (milliseconds: number, signal: AbortSignal, began: number) => {
        pauses.push([milliseconds, began]);
        await new Promise<void>((resolve) => {
          clock.schedule(milliseconds, resolve);
          signal.addEventListener("abort", () => resolve(), { once: true });
        });
      },
    } as never,
    clock,
    random: () => 0.5,
    path: PATH,
    ...(query && { query }),
    sink: {
      replace: (objects) => heard.push(["replace", ...objects.map(({ metadata }) => metadata.name)]),
      changed: (type, { metadata }) => heard.push([type, metadata.name]),
      failed: (cause) => heard.push(["failed", (cause as Error).message]),
    },
  });
  const run = async (milliseconds = 0): Promise<void> => {
    watch.start();
    await clock.advance(milliseconds);
  };
  return { watch, clock, asked, heard, pauses, run, push: (text: string) => push(text) };
}

test("the whole collection comes first, then each change; a bookmark says nothing", async () => {
  const { watch, asked, heard, run } = watched({
    query: { fieldSelector: "spec.nodeName=node1" },
    streams: [
      {
        events: [
          event("ADDED", "a", "1"),
          event("ADDED", "b", "2"),
          event("MODIFIED", "c", "3"),
          event("DELETED", "b", "4"),
          bookmark("5"),
          end("6", "false"),
          end("7"),
          bookmark("8"),
          event("ADDED", "d", "9"),
          event("MODIFIED", "d", "10"),
          event("DELETED", "a", "11"),
        ],
        open: true,
      },
    ],
  });
  await run();
  watch.start();
  await watch.stop();
  expect(asked).toEqual([[0, "watch", PATH, { fieldSelector: "spec.nodeName=node1", ...INITIAL }]]);
  expect(heard).toEqual([
    ["replace", "a", "c"],
    ["ADDED", "d"],
    ["MODIFIED", "d"],
    ["DELETED", "a"],
  ]);
});

test("objects of one name in two namespaces are two", async () => {
  const { watch, heard, run } = watched({
    streams: [
      {
        events: [
          event("ADDED", "a", "1", { namespace: "x" }),
          event("ADDED", "a", "2", { namespace: "y" }),
          event("ADDED", "a", "3", { namespace: "y" }),
          event("DELETED", "a", "4", { namespace: "x" }),
          end("5"),
        ],
        open: true,
      },
    ],
  });
  await run();
  await watch.stop();
  expect(heard).toEqual([["replace", "a"]]);
});

test("a stream that ended is taken up where it ended: after a while at once, before one second is over after a wait", async () => {
  const { watch, asked, heard, run, push, clock } = watched({
    streams: [{ events: [end("5"), bookmark("6")] }, { events: [{ ...bookmark("7") }], open: true }, { events: [] }],
  });
  await run(1_199);
  expect(asked).toHaveLength(1);
  await clock.advance(1);
  expect(asked[1]).toEqual([1_200, "watch", PATH, { ...START, resourceVersion: "6" }]);
  push("");
  await watch.stop();
  expect(heard).toEqual([["replace"]]);
});

test("a server that ends each watch at once is asked after doubling waits, and no failure is reported", async () => {
  const { watch, asked, heard, run } = watched({
    streams: [{ events: [end("5")] }, { events: [] }, { events: [] }, { events: [], open: true }],
  });
  await run(20_000);
  await watch.stop();
  expect(asked.map((one) => (one as unknown[])[0])).toEqual([0, 1_200, 3_600, 8_400]);
  expect(heard).toEqual([["replace"]]);
});

test("a try that failed is reported, and made again after doubling waits that an outage's end cuts short", async () => {
  const { watch, asked, heard, pauses, run } = watched({
    streams: [error(0), error(500), { events: [end("5")], open: true }],
  });
  await run(4_000);
  await watch.stop();
  expect(asked.map((one) => (one as unknown[])[0])).toEqual([0, 1_200, 3_600]);
  expect(pauses).toEqual([
    [1_200, 0],
    [2_400, 1_200],
  ]);
  expect(heard).toEqual([["failed", "m"], ["failed", "m"], ["replace"]]);
});

test.each([
  [5, 5_000],
  [1, 1_200],
])("Retry-After of %i s is waited out: the next try comes after %i ms", async (seconds, wait) => {
  const { watch, asked, pauses, run } = watched({ streams: [error(429, "", seconds)] });
  await run(10_000);
  await watch.stop();
  expect(asked.map((one) => (one as unknown[])[0])).toEqual([0, wait]);
  expect(pauses).toEqual([]);
});

test.each([400, 422])(
  "a server without streaming lists (%i) is asked for plain ones, once and for all",
  async (status) => {
    const list = { metadata: { resourceVersion: "3" }, items: [object("a", "1")] };
    const { watch, asked, heard, run } = watched({
      query: { fieldSelector: "x" },
      streams: [error(status), { events: [event("ADDED", "b", "4")] }],
      lists: [list],
    });
    await run();
    await watch.stop();
    expect(asked).toEqual([
      [0, "watch", PATH, { fieldSelector: "x", ...INITIAL }],
      [0, "list", PATH, { fieldSelector: "x", resourceVersion: "0" }, 60_000],
      [0, "watch", PATH, { fieldSelector: "x", ...START, resourceVersion: "3" }],
    ]);
    expect(heard).toEqual([
      ["replace", "a"],
      ["ADDED", "b"],
    ]);
  },
);

test("a plain list that is refused as well is a failure; an empty answer is an empty list", async () => {
  const { watch, heard, asked, run } = watched({ streams: [error(422)], lists: [error(422), {}] });
  await run(1_200);
  await watch.stop();
  expect(heard).toEqual([["failed", "m"], ["replace"]]);
  expect(asked.at(-1)).toEqual([1_200, "watch", PATH, { ...START, resourceVersion: "" }]);
});

test("another refusal than of streaming lists is no reason for plain ones", async () => {
  const { watch, asked, run } = watched({ streams: [error(403)] });
  await run(1_200);
  await watch.stop();
  expect(asked.map((one) => (one as unknown[])[1])).toEqual(["watch", "watch"]);
});

test("a history that the server has forgotten: the whole collection is read at once, at the first time within ten seconds", async () => {
  const gone = { type: "ERROR", object: { code: 410, reason: "Expired", message: "too old" } };
  const { watch, asked, heard, run } = watched({
    streams: [{ events: [end("5"), gone] }, { events: [end("6"), gone] }, { events: [end("7")], open: true }],
  });
  await run(5_000);
  await watch.stop();
  expect(asked).toEqual([
    [0, "watch", PATH, INITIAL],
    [0, "watch", PATH, INITIAL],
    [1_200, "watch", PATH, INITIAL],
  ]);
  expect(heard).toEqual([
    ["replace"],
    ["replace"],
    ["failed", `watch of ${PATH} was ended by the server: too old`],
    ["replace"],
  ]);
});

test("a list that is refused as too old is read from the store, without a version", async () => {
  const { watch, asked, heard, run } = watched({
    streams: [error(410)],
    lists: [{ metadata: { resourceVersion: "9" }, items: [object("a", "9")] }],
  });
  await run(1_200);
  await watch.stop();
  expect(asked).toEqual([
    [0, "watch", PATH, INITIAL],
    [1_200, "list", PATH, {}, 60_000],
    [1_200, "watch", PATH, { ...START, resourceVersion: "9" }],
  ]);
  expect(heard).toEqual([
    ["failed", "m"],
    ["replace", "a"],
  ]);
});

test("a stream without a byte for 150 s counts as dead; each byte counts", async () => {
  const { watch, asked, heard, clock, run, push } = watched({
    streams: [{ events: [end("5")], open: true }],
  });
  await run(149_999);
  push(`${JSON.stringify(bookmark("6"))}\n`);
  await clock.advance(149_999);
  expect(asked).toHaveLength(1);
  await clock.advance(1);
  expect(heard.at(-1)).toEqual(["failed", "nothing was heard for 150 s"]);
  await clock.advance(1_200);
  expect(asked[1]).toEqual([301_199, "watch", PATH, { ...START, resourceVersion: "6" }]);
  await watch.stop();
});

test("a list that comes over a watch is at most 64 MiB; what follows it is not bounded", async () => {
  // A line of blanks is none.
  const long = Buffer.alloc(15 * 1024 * 1024, " ");
  long[long.length - 1] = 10;
  const { watch, heard, run } = watched({ streams: [{ events: [long, long, long, long, long] }] });
  await run();
  await watch.stop();
  expect(heard).toEqual([["failed", `the list of ${PATH} is longer than ${64 * 1024 * 1024} bytes`]]);
  const later = watched({ streams: [{ events: [end("1"), long, long, long, long, long, end("2")], open: true }] });
  await later.run();
  await later.watch.stop();
  expect(later.heard).toEqual([["replace"]]);
});

test("a stop ends a stream, a wait, and what has not begun; nothing is reported of it", async () => {
  const open = watched({ streams: [{ events: [end("5")], open: true }] });
  await open.run();
  await open.watch.stop();
  const waiting = watched({ streams: [error(429, "", 60)] });
  await waiting.run();
  await waiting.watch.stop();
  const idle = watched({});
  await idle.watch.stop();
  expect([open.heard, waiting.heard, idle.asked]).toEqual([[["replace"]], [["failed", "m"]], []]);
  expect([open.clock.pending, waiting.clock.pending]).toEqual([0, 0]);
});
