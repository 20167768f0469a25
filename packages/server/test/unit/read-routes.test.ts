/** What can be read: pods and events as lists and as watches, decisions, statistics. */
import { expect, test } from "@jest/globals";
import { control, nodeServer, readOnlyPort } from "../../src/endpoints.js";
import { appOf, type Injected } from "../inject.js";
import { anEvent, aPod } from "../samples.js";

/** The lines of a watch that is going on, as they come. */
async function watch({ app, clock }: Injected, url: string) {
  const answer = await app.inject({ url, headers: { host: "localhost" }, payloadAsStream: true });
  let text = "";
  answer.stream().on("data", (data) => {
    text += data;
  });
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    headers: answer.headers,
    /** What came since, once `milliseconds` have passed. */
    lines: async (milliseconds = 0): Promise<unknown[]> => {
      await clock.advance(milliseconds);
      await settled();
      const lines = text.split("\n").filter((line) => line !== "");
      text = "";
      return lines.map((line) => JSON.parse(line));
    },
  };
}

const names = (changes: unknown[]) =>
  changes.map((change) => {
    const { type, object } = change as { type: string; object: { metadata: { name: string } } };
    return `${type} ${object.metadata.name}`;
  });

test("pods are a PodList", async () => {
  const { api, ask } = appOf(control);
  api.list = [aPod("web")];
  expect(await ask("GET", "/pods")).toEqual([
    200,
    { kind: "PodList", apiVersion: "v1", metadata: {}, items: [aPod("web")] },
  ]);
});

test("a watch of pods begins with those that are there, then has each change once, 50 ms after the first of several", async () => {
  const injected = appOf(control);
  const { api, clock } = injected;
  api.list = [aPod("a"), aPod("b")];
  const { headers, lines } = await watch(injected, "/pods?watch");
  expect(headers["content-type"]).toBe("application/x-ndjson");
  expect(names(await lines())).toEqual(["ADDED a", "ADDED b"]);
  api.setPods([aPod("a"), aPod("b", { status: { phase: "Failed" } })]);
  await clock.advance(20);
  api.setPods([aPod("a"), aPod("b", { status: { phase: "Failed" } }), aPod("c")]);
  expect(await lines(29)).toEqual([]);
  expect(names(await lines(1))).toEqual(["MODIFIED b", "ADDED c"]);
  api.setPods([aPod("c")]);
  expect(names(await lines(50))).toEqual(["DELETED a", "DELETED b"]);
  expect(await lines(60_000)).toEqual([]);
});

test("a pod that was deleted and is there again under another uid is both", async () => {
  const injected = appOf(control);
  const { api } = injected;
  api.list = [aPod("a")];
  const { lines } = await watch(injected, "/pods?watch=true");
  await lines();
  api.setPods([aPod("a", { metadata: { uid: "new" } })]);
  expect(names(await lines(50))).toEqual(["ADDED a", "DELETED a"]);
});

test("a watch whose time is over ends, and listens no longer", async () => {
  const injected = appOf(control);
  const { api, clock } = injected;
  const ends = [await watch(injected, "/pods?watch=1"), await watch(injected, "/events?watch=1")];
  expect(api.listeners).toBe(2);
  await clock.advance(control.streams.total);
  for (const { lines } of ends) await lines();
  expect(api.listeners).toBe(0);
});

test.each(["/pods?watch=false", "/pods?watch=0", "/events?watch=false"])("%s is a list", async (url) => {
  const { ask } = appOf(control);
  expect(await ask("GET", url)).toMatchObject([200, { items: [] }]);
});

test.each([
  "/pods?watch=yes",
  "/events?watch=no",
  "/stats/summary?only_cpu_and_memory=x",
  "/explain",
  "/explain?kind=pod",
  "/explain?kind=&name=a",
  "/explain?kind=pod&name=",
])("%s is refused", async (url) => {
  const { ask } = appOf(control);
  expect(await ask("GET", url)).toEqual([400, { error: expect.stringMatching(/^query\./), code: "INVALID" }]);
});

test("events are an EventList of those that were asked for; a watch begins with them", async () => {
  const injected = appOf(control);
  const { api, ask } = injected;
  const [a, b] = [anEvent("a", "Started"), anEvent("b", "Started")];
  api.recorded = [a, b];
  expect(await ask("GET", "/events?for=pod/a")).toEqual([
    200,
    { kind: "EventList", apiVersion: "v1", metadata: {}, items: [a] },
  ]);
  expect(await ask("GET", "/events?namespace=other")).toMatchObject([200, { items: [] }]);
  const { headers, lines } = await watch(injected, "/events?for=pod/a&watch");
  expect(headers["content-type"]).toBe("application/x-ndjson");
  expect(await lines()).toEqual([a]);
  api.emit(anEvent("b", "Killing"));
  api.emit(anEvent("a", "Killing"));
  expect(await lines()).toEqual([anEvent("a", "Killing")]);
});

test.each(["/runningpods", "/runningpods/"])(
  "%s has the pods in the phase Running, for an API server alone",
  async (url) => {
    const { api, ask } = appOf(nodeServer);
    api.list = [aPod("a"), aPod("b", { status: { phase: "Succeeded" } }), { ...aPod("c"), status: undefined } as never];
    expect(await ask("GET", url)).toEqual([
      200,
      { kind: "PodList", apiVersion: "v1", metadata: {}, items: [aPod("a")] },
    ]);
    expect((await appOf(control).ask("GET", url))[0]).toBe(404);
  },
);

test("a summary is that of the provider, whole or of CPU and memory; without one it is 503 with the next step", async () => {
  const { api, ask } = appOf(control);
  const error =
    'No plugin provides statistics of this node: switch on one that does ("hooklet check" shows which run).';
  expect(await ask("GET", "/stats/summary")).toEqual([503, { error, code: "NO_STATISTICS" }]);
  api.statistics = async (options) => ({ node: options }) as never;
  expect(await ask("GET", "/stats/summary")).toEqual([200, { node: { onlyCpuAndMemory: false } }]);
  expect(await ask("GET", "/stats/summary?only_cpu_and_memory=true")).toEqual([
    200,
    { node: { onlyCpuAndMemory: true } },
  ]);
});

test("an explanation has what was decided, then what plugins say now", async () => {
  const { api, ask } = appOf(control);
  const decision = (text: string) => ({ subject: "pod/default/a", text }) as never;
  api.decisions = [decision("admitted")];
  api.said = [decision("on CPU 1")];
  expect(await ask("GET", "/explain?kind=pod&name=a")).toEqual([200, { items: [...api.decisions, ...api.said] }]);
});

test("the configuration is for those that may read everything", async () => {
  expect(await appOf(control).ask("GET", "/configz")).toEqual([200, { kubeletconfig: { maxPods: 110 } }]);
  expect((await appOf(readOnlyPort).ask("GET", "/configz"))[0]).toBe(404);
});

test("values that may be secrets are left out of the lists of a read-only endpoint", async () => {
  const env = [{ name: "KEY", value: "secret" }];
  for (const [endpoint, isShown] of [
    [control, true],
    [readOnlyPort, false],
  ] as const) {
    const { api, ask } = appOf(endpoint);
    api.list = [aPod("web", { spec: { containers: [{ name: "main", image: "host", env }] } })];
    expect(JSON.stringify(await ask("GET", "/pods")).includes("secret")).toBe(isShown);
  }
});
