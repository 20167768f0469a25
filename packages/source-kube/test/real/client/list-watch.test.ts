import { systemClock } from "@hooklet/utils";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { ListWatch } from "../../../src/client/list-watch.js";
import type { KubeObject } from "../../../src/client/watch-events.js";
import { FakeApi, type Fault, hangUp, status } from "../fake-api.js";
import { until } from "../until.js";

let api: FakeApi;
let watch: ListWatch<KubeObject> | undefined;
let seen: Map<string, string>;
let heard: string[];
let failures: unknown[];

beforeEach(async () => {
  api = new FakeApi();
  await api.start();
  [seen, heard, failures] = [new Map(), [], []];
});
afterEach(async () => {
  await watch?.stop();
  watch = undefined;
  await api.stop();
});

function start(): void {
  watch = new ListWatch({
    client: api.client(),
    clock: systemClock,
    random: () => 0.5,
    path: "/api/v1/pods",
    query: { fieldSelector: "spec.nodeName=a" },
    backOff: { first: 5, last: 20, jitter: 0, reset: 120_000 },
    sink: {
      replace(objects) {
        heard.push(`whole ${objects.length}`);
        seen = new Map(objects.map(({ metadata }) => [metadata.name, metadata.resourceVersion ?? ""]));
      },
      changed(type, { metadata }) {
        heard.push(`${type} ${metadata.name}`);
        if (type === "DELETED") seen.delete(metadata.name);
        else seen.set(metadata.name, metadata.resourceVersion ?? "");
      },
      failed: (error) => failures.push(error),
    },
  });
  watch.start();
}

const names = (): string[] => [...seen.keys()].sort();

test("the whole collection comes first, then each change; all of it in one request", async () => {
  api.set("a");
  api.set("b");
  start();
  await until(() => heard.length === 1);
  expect(heard).toEqual(["whole 2"]);
  api.set("c");
  api.set("a");
  api.delete("b");
  await until(() => heard.length === 4);
  expect(heard.slice(1)).toEqual(["ADDED c", "MODIFIED a", "DELETED b"]);
  expect(names()).toEqual(["a", "c"]);
  expect(api.asked).toHaveLength(1);
  expect(api.asked[0]?.query.get("fieldSelector")).toBe("spec.nodeName=a");
});

test("a server without streaming lists is asked for a list, and its collection watched from there", async () => {
  api.streamingLists = false;
  api.set("a");
  start();
  await until(() => api.watches === 1);
  api.set("b");
  await until(() => seen.size === 2);
  expect(heard).toEqual(["whole 1", "ADDED b"]);
  expect(failures).toEqual([]);
  expect(api.asked.map(({ query }) => query.get("resourceVersion"))).toEqual([null, "0", "101"]);
});

test.each(["end", "destroy"] as const)(
  "a stream that is cut (%s) continues where it broke: nothing is delivered twice",
  async (how) => {
    api.set("a");
    start();
    await until(() => api.watches === 1);
    api.cut(how);
    api.set("b");
    api.set("c");
    await until(() => seen.size === 3);
    expect(heard).toEqual(["whole 1", "ADDED b", "ADDED c"]);
  },
);

test("a bookmark moves the place from which a broken stream continues", async () => {
  start();
  await until(() => api.watches === 1);
  api.set("a");
  api.delete("a");
  await until(() => heard.length === 3);
  api.bookmark();
  api.compact();
  api.cut();
  await until(() => api.watches === 1 && api.asked.length === 2);
  expect(heard).toEqual(["whole 0", "ADDED a", "DELETED a"]);
});

test("a history that is gone (410) is replaced by the whole collection", async () => {
  api.set("a");
  api.set("b");
  start();
  await until(() => api.watches === 1);
  api.cut();
  api.delete("a");
  api.set("c");
  api.compact();
  await until(() => names().join() === "b,c");
  expect(heard).toEqual(["whole 2", "whole 2"]);
});

test("a second 410 soon after the first is a failure that is waited out: a server that forgets at once is not asked as fast as it answers", async () => {
  start();
  for (const name of ["a", "b"]) {
    await until(() => api.watches === 1);
    api.cut();
    api.set(name);
    api.set(name);
    api.compact();
    await until(() => seen.has(name));
  }
  expect(failures.filter((error) => String(error).includes("too old"))).toHaveLength(1);
});

test.each<[string, Fault[], number]>([
  ["429", [status(429, "TooManyRequests"), status(429, "TooManyRequests")], 2],
  ["500", [status(500, "InternalError")], 1],
  ["a connection that breaks", [hangUp, hangUp], 2],
  ["403, as before the authorizer knows", [status(403, "Forbidden")], 1],
])("%s costs time and no change", async (_name, faults, count) => {
  api.set("a");
  start();
  await until(() => api.watches === 1);
  api.faults.push(...faults);
  api.cut();
  api.set("b");
  await until(() => seen.size === 2);
  expect(heard).toEqual(["whole 1", "ADDED b"]);
  // The cut stream is one failure of its own.
  expect(failures.length).toBeGreaterThanOrEqual(count);
});

test("what is no event of a watch ends the stream, and what came before it counts", async () => {
  api.set("a");
  start();
  await until(() => api.watches === 1);
  api.faults.push((_, response) => {
    response.writeHead(200);
    response.end('{"type":"ADDED","object":{"metadata":{"name":"x","resourceVersion":"101"}}}\n{"type":"WHAT"}\n');
    return true;
  });
  api.cut();
  await until(() => heard.includes("ADDED x") && api.watches === 1);
  expect(String(failures.at(-1))).toContain("expected an event of a watch");
});

test("once stopped nothing is asked any more", async () => {
  start();
  await until(() => api.watches === 1);
  await watch?.stop();
  const { length } = api.asked;
  await new Promise((resolve) => systemClock.schedule(50, () => resolve(undefined)));
  expect(api.asked).toHaveLength(length);
  await until(() => api.watches === 0);
});
