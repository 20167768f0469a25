import { VirtualClock } from "@hooklet/testkit";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { isApiError } from "../../../src/client/api-error.js";
import { FakeApi, type Fault, hangUp, silence, status } from "../fake-api.js";
import { until } from "../until.js";

let api: FakeApi;
beforeEach(async () => {
  api = new FakeApi();
  await api.start();
});
afterEach(() => api.stop());

const failure = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

test("an answer that refuses is an error with its status, reason and words", async () => {
  api.faults.push(status(409, "Conflict", "the object has been modified"));
  const error = await failure(api.client().replace("/api/v1/nodes/a", {}));
  expect(isApiError(error, 409)).toBe(true);
  expect(error).toMatchObject({
    reason: "Conflict",
    message: "PUT /api/v1/nodes/a was answered with 409: the object has been modified",
  });
});

test("a request is made again when the server asks for that, and not before", async () => {
  api.faults.push(status(429, "TooManyRequests", "later", { "retry-after": "0.02" }));
  api.faults.push(status(503, "ServiceUnavailable", "later", { "retry-after": "0.02" }));
  expect(await api.client().get("/x")).toMatchObject({ items: [] });
  expect(api.asked).toHaveLength(3);
});

test("a wait that would pass the deadline is not begun: the refusal stands", async () => {
  api.faults.push(status(429, "TooManyRequests", "later", { "retry-after": "5" }));
  expect(isApiError(await failure(api.client().get("/x", { timeout: 100 })), 429)).toBe(true);
  expect(api.asked).toHaveLength(1);
});

test("a server that is silent is an error after the deadline, and the next request goes its own way", async () => {
  api.faults.push(silence);
  const client = api.client();
  expect(await failure(client.get("/x", { timeout: 1_000 }))).toMatchObject({ status: 0, reason: "Timeout" });
  expect(await client.get("/x")).toMatchObject({ items: [] });
});

test("silence on a connection that has been renewed since does not count against the new one", async () => {
  api.faults.push(silence, silence);
  const clock = new VirtualClock();
  const client = api.client(clock);
  const [early, late] = [1_000, 2_000].map((timeout) => failure(client.get("/x", { timeout })));
  await until(() => api.asked.length === 2);
  await clock.advance(1_000);
  expect(await early).toMatchObject({ reason: "Timeout" });
  await client.get("/x");
  await clock.advance(1_000);
  expect(await late).toMatchObject({ reason: "Timeout" });
  await client.get("/x");
  const [, , third, fourth] = api.asked;
  expect(fourth?.port).toBe(third?.port);
});

test("a connection that breaks is an error of status 0", async () => {
  api.faults.push(hangUp);
  expect(await failure(api.client().get("/x"))).toMatchObject({ status: 0, reason: "Unreachable" });
});

test("what the caller gives up rejects with the caller's reason", async () => {
  api.faults.push(silence);
  const given = new AbortController();
  const work = failure(api.client().get("/x", { signal: given.signal }));
  given.abort(new Error("enough"));
  expect(await work).toEqual(new Error("enough"));
});

test("a patch has its content type, and a body is sent unchanged", async () => {
  await api.client().patch("/x", { status: { phase: "Running" } });
  expect(api.asked[0]).toMatchObject({ method: "PATCH", body: { status: { phase: "Running" } } });
});

test("a write returns only the metadata where no more is needed; a server that does not support that returns the whole", async () => {
  const [client, metadata] = [api.client(), { answer: "metadata" } as const];
  await client.get("/x");
  await client.patch("/x", {});
  await client.patch("/x", {}, metadata);
  await client.create("/x", {}, metadata);
  await client.delete("/x", {});
  const partial = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
  const whole = "application/json";
  expect(api.asked.map(({ accept }) => accept)).toEqual([whole, whole, partial, partial, partial]);
});

test("a request has the user agent and the content type", async () => {
  const sent: unknown[] = [];
  const look: Fault = (_, { req: { headers } }) => {
    sent.push({ agent: headers["user-agent"], type: headers["content-type"], token: headers.authorization });
    return false;
  };
  api.faults.push(look);
  await api.client().get("/x");
  await api.client().replace("/x", {});
  const { current } = api.credentials;
  api.credentials.current = async () => ({ ...(await current()), token: "secret" });
  await api.client().get("/x");
  expect(sent).toEqual([
    { agent: "test", type: undefined, token: undefined },
    { agent: "test", type: "application/json", token: undefined },
    { agent: "test", type: undefined, token: "Bearer secret" },
  ]);
});
