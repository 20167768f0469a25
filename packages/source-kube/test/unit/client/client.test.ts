/** One request of an API server: how it is asked, how long it may take, and when it is asked again. */
import { VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import { ApiError } from "../../../src/client/api-error.js";
import { KubeClient } from "../../../src/client/client.js";
import type { Ask, Connection } from "../../../src/client/connection.js";

const METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
const busy = (seconds?: number, status = 429): ApiError => new ApiError(status, "Busy", "busy", seconds);

/** `answers`: in the order of asking; the last one for all that follow. `turn`: what the rate limit says. */
function client(
  answers: readonly (string | Error)[] = ["{}"],
  turn?: (signal: AbortSignal | undefined, most: number | undefined) => boolean,
) {
  const clock = new VirtualClock();
  const asked: (Ask & { readonly milliseconds: number })[] = [];
  const pauses: unknown[] = [];
  const answer = async (ask: Ask, milliseconds: number): Promise<string> => {
    asked.push({ ...ask, milliseconds });
    const next = answers[Math.min(asked.length, answers.length) - 1];
    if (next instanceof Error) throw next;
    return next as string;
  };
  const stream = async (ask: Ask, milliseconds: number): Promise<AsyncIterable<Buffer>> => {
    asked.push({ ...ask, milliseconds });
    return (async function* () {})();
  };
  const kube = new KubeClient({
    connection: { ask: answer, stream } as unknown as Connection,
    clock,
    reach: { pause: async (...all: unknown[]) => void pauses.push(all) } as never,
    ...(turn && { bucket: { turn: async (...all: Parameters<typeof turn>) => turn(...all) } as never }),
  });
  return { kube, clock, asked, pauses };
}

test("each kind of request has its method, body and type, and 30 s", async () => {
  const { kube, asked } = client();
  await kube.get("/a");
  await kube.create("/a", { b: 1 });
  await kube.replace("/a", { b: 2 });
  await kube.patch("/a", { b: 3 });
  await kube.patch("/a", { b: 4 }, { type: "application/merge-patch+json" });
  await kube.delete("/a", { b: 5 });
  const milliseconds = 30_000;
  const contentType = "application/strategic-merge-patch+json";
  expect(asked).toEqual([
    { method: "GET", path: "/a", milliseconds },
    { method: "POST", path: "/a", body: '{"b":1}', milliseconds },
    { method: "PUT", path: "/a", body: '{"b":2}', milliseconds },
    { method: "PATCH", path: "/a", body: '{"b":3}', contentType, milliseconds },
    { method: "PATCH", path: "/a", body: '{"b":4}', contentType: "application/merge-patch+json", milliseconds },
    { method: "DELETE", path: "/a", body: '{"b":5}', accept: METADATA, milliseconds },
  ]);
});

test("a write that wants the metadata alone says so", async () => {
  const { kube, asked } = client();
  await kube.create("/a", {}, { answer: "metadata" });
  await kube.patch("/a", {}, { answer: "metadata" });
  expect(asked.map(({ accept }) => accept)).toEqual([METADATA, METADATA]);
});

test("query, signal and deadline go along; without a query the path stays as it is", async () => {
  const { kube, asked } = client();
  const { signal } = new AbortController();
  await kube.get("/a", { query: { limit: 5, watch: true, fieldSelector: "metadata.name=a b" }, signal, timeout: 7 });
  await kube.get("/a", { query: {} });
  expect(asked).toEqual([
    {
      method: "GET",
      path: "/a?limit=5&watch=true&fieldSelector=metadata.name%3Da+b",
      signal,
      milliseconds: 7,
    },
    { method: "GET", path: "/a", milliseconds: 30_000 },
  ]);
});

test("a stream has its query and its signal, and 30 s unless another time is given", async () => {
  const turns: unknown[] = [];
  const { kube, asked } = client([], (...all) => turns.push(all) > 0);
  const { signal } = new AbortController();
  await kube.stream("/a", { watch: true }, signal);
  await kube.stream("/a", {}, signal, 5);
  expect(asked).toEqual([
    { method: "GET", path: "/a?watch=true", signal, milliseconds: 30_000 },
    { method: "GET", path: "/a", signal, milliseconds: 5 },
  ]);
  expect(turns).toEqual([[signal], [signal]]);
});

test("an answer is its JSON; an empty one is undefined", async () => {
  expect(await client(['{"a":[1]}']).kube.get("/a")).toEqual({ a: [1] });
  expect(await client([""]).kube.get("/a")).toBeUndefined();
});

test("an answer that is no JSON is one that was lost, named without its query", async () => {
  await expect(client(['{"a":']).kube.get("/a", { query: { b: 1 } })).rejects.toMatchObject({
    status: 0,
    reason: "BadAnswer",
    message: "GET /a was answered with what is no JSON",
    cause: expect.any(SyntaxError),
  });
});

test.each([429, 503])(
  "%i with Retry-After is asked again after that time, with what is left of the deadline",
  async (status) => {
    const { kube, clock, asked } = client([busy(2, status), busy(3, status), '{"a":1}']);
    const work = kube.get("/a");
    await clock.advance(1_999);
    expect(asked).toHaveLength(1);
    await clock.advance(3_001);
    expect(await work).toEqual({ a: 1 });
    expect(asked.map(({ milliseconds }) => milliseconds)).toEqual([30_000, 28_000, 25_000]);
  },
);

test.each([
  ["without Retry-After", busy()],
  ["with another status", busy(1, 500)],
  ["after the deadline", busy(30)],
  ["which is no answer", new Error("no disk")],
])("a refusal %s stands at once", async (_name, error) => {
  const { kube, asked } = client([error]);
  await expect(kube.get("/a")).rejects.toBe(error);
  expect(asked).toHaveLength(1);
});

test("a wait that ends just before the deadline is begun", async () => {
  const { kube, clock, asked } = client([busy(29.999), "{}"]);
  const work = kube.get("/a");
  await clock.advance(29_999);
  expect(await work).toEqual({});
  expect(asked[1]?.milliseconds).toBe(1);
});

test("after ten retries a refusal stands", async () => {
  const { kube, clock, asked } = client([busy(0.001)]);
  const work = expect(kube.get("/a")).rejects.toMatchObject({ status: 429 });
  await clock.advance(1_000);
  await work;
  expect(asked).toHaveLength(11);
});

test("a caller that gives up ends the wait for Retry-After", async () => {
  const { kube, clock, asked } = client([busy(5)]);
  const given = new AbortController();
  const work = expect(kube.get("/a", { signal: given.signal })).rejects.toThrow("enough");
  await clock.advance(1_000);
  given.abort(new Error("enough"));
  await work;
  expect(asked).toHaveLength(1);
});

test.each([
  { timeout: 30_000, most: 29_000 },
  { timeout: 2_000, most: 1_000 },
  { timeout: 1_000, most: 500 },
])(
  "of $timeout ms a request waits at most $most ms to be sent; beyond that it is not sent",
  async ({ timeout, most }) => {
    const turns: unknown[] = [];
    const { signal } = new AbortController();
    const { kube, asked } = client(["{}"], (...all) => turns.push(all) < 0);
    await expect(kube.get("/a", { timeout, signal })).rejects.toMatchObject({
      status: 0,
      reason: "Timeout",
      message: "too many requests wait to be sent to the API server",
    });
    expect([turns, asked]).toEqual([[[signal, most]], []]);
  },
);

test("a request that had its turn is sent", async () => {
  const { kube, asked } = client(["{}"], () => true);
  await kube.get("/a");
  expect(asked).toHaveLength(1);
});

test("a pause is the connection's own", async () => {
  const { kube, pauses } = client();
  const { signal } = new AbortController();
  await kube.pause(5, signal, 7);
  expect(pauses).toEqual([[5, signal, 7]]);
});
