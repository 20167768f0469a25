import { VirtualClock } from "@hooklet/testkit";
import { sleep, systemClock, TokenBucket } from "@hooklet/utils";
import { expect, test } from "@jest/globals";
import { KubeClient, Reach } from "../../../src/client/client.js";
import type { Connection } from "../../../src/client/connection.js";
import { createClients } from "../../../src/kube-clients.js";
import { FakeApi, silence } from "../fake-api.js";

test("reviews of unknown tokens do not delay those of known users", async () => {
  const api = new FakeApi();
  await api.start();
  const rates = { kubeAPIQPS: 0.001, kubeAPIBurst: 1, eventRecordQPS: 50, eventBurst: 100 };
  const clients = createClients(rates, { credentials: api.credentials, clock: systemClock, userAgent: "test" });
  try {
    await clients.tokenReviews.get("/x");
    await expect(clients.tokenReviews.get("/x", { timeout: 100 })).rejects.toThrow("too many requests wait");
    await clients.accessReviews.get("/x");
  } finally {
    await clients.close();
    await api.stop();
  }
});

const rates = { kubeAPIQPS: 50, kubeAPIBurst: 100, eventRecordQPS: 50, eventBurst: 100 };

test("many concurrent status writes delay no secret, however slow the server is", async () => {
  const api = new FakeApi();
  await api.start();
  const clients = createClients(rates, { credentials: api.credentials, clock: systemClock, userAgent: "test" });
  const stopping = new AbortController();
  const { signal } = stopping;
  try {
    api.faults.push(...Array.from({ length: 64 }, () => silence));
    const statuses = Array.from({ length: 64 }, () => clients.statuses.patch("/x/status", {}, { signal }));
    const ended = Promise.allSettled(statuses);
    while (api.asked.length < 64) await sleep(systemClock, 2);
    await clients.general.get("/x");
    await clients.looks.get("/x");
    stopping.abort(new Error("stop"));
    await ended;
  } finally {
    await clients.close();
    await api.stop();
  }
});

test("a request whose turn would leave no time for an answer is refused at once, and is not taken for a silent server's", async () => {
  const clock = new VirtualClock();
  const asked: number[] = [];
  const connection = {
    ask: async (_ask: unknown, milliseconds: number) => {
      asked.push(milliseconds);
      return "{}";
    },
  } as unknown as Connection;
  const bucket = new TokenBucket(clock, { perSecond: 1 / 40, burst: 1 });
  const client = new KubeClient({ connection, clock, bucket, reach: new Reach(clock) });
  await client.get("/x");
  await expect(client.get("/x", { timeout: 40_500 })).rejects.toThrow("too many requests wait");
  const sent = client.get("/x", { timeout: 41_500 });
  await clock.advance(40_000);
  await sent;
  expect(asked).toEqual([30_000, 1_500]);
});
