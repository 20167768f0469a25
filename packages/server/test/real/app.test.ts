import { expect, test } from "@jest/globals";
import { startFake } from "../start.js";

test("each request is counted by its route: unknown paths are one series, however many are tried", async () => {
  const { api, readUrl, client } = await startFake();
  for (const place of [
    "/pods",
    "/metrics/further",
    "/pods/x/y/z",
    "/no-such-place",
    "/stats/summary?only_cpu_and_memory=true",
  ]) {
    await (await fetch(readUrl + place)).text();
  }
  await client.version();
  expect(api.requests.map(({ path, serverType }) => `${path} ${serverType}`)).toEqual([
    "pods readonly",
    "metrics readonly",
    "others readonly",
    "others readonly",
    "stats readonly",
    "version readwrite",
  ]);
});

test("a request is under way until its answer is over", async () => {
  const { api, client } = await startFake();
  const stop = new AbortController();
  const watching = (async () => {
    for await (const _ of client.watchEvents({}, stop.signal)) break;
  })().catch(() => undefined);
  while (api.underWay === 0) await new Promise((resolve) => setImmediate(resolve));
  expect(api.requests.at(-1)).toMatchObject({ path: "events", longRunning: true });
  stop.abort();
  await watching;
  while (api.underWay > 0) await new Promise((resolve) => setImmediate(resolve));
});
