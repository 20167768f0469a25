/** What is an outage, and who says so. */

import { VirtualClock } from "@hooklet/testkit";
import { type Clock, systemClock } from "@hooklet/utils";
import { expect, test } from "@jest/globals";
import { Reach } from "../../../src/client/client.js";
import { createClients } from "../../../src/kube-clients.js";
import { FakeApi, hangUp } from "../fake-api.js";

const MINUTE = 60_000;

function watched() {
  const clock = new VirtualClock();
  const reach = new Reach(clock);
  const returns: number[] = [];
  reach.onReturn(() => returns.push(clock.monotonic()));
  return { clock, reach, returns };
}

test("the first answer after five seconds without any, counted from the begin of the failed request, ends an outage, and wakes waiting requests", async () => {
  const { clock, reach, returns } = watched();
  reach.answered();
  let woken = false;
  void reach.pause(MINUTE).then(() => {
    woken = true;
  });
  await clock.advance(4_000);
  reach.failed(4_000);
  await clock.advance(500);
  reach.failed(100);
  await clock.advance(500);
  reach.answered();
  await clock.advance(0);
  expect([returns.length, woken]).toEqual([1, true]);
});

test("a failure that an answer follows at once is over with it: no later answer ends an outage that never was", async () => {
  const { clock, reach, returns } = watched();
  reach.answered();
  reach.failed(0);
  await clock.advance(1_000);
  reach.answered();
  await clock.advance(MINUTE);
  reach.answered();
  expect(returns).toEqual([]);
});

test("one request that is lost after a quiet while, and answered at the next try, is no outage", async () => {
  const { clock, reach, returns } = watched();
  reach.answered();
  await clock.advance(10_000);
  reach.failed(10);
  await clock.advance(200);
  reach.answered();
  expect(returns).toEqual([]);
});

test("the heartbeat alone decides whether the server is reachable", async () => {
  const api = new FakeApi();
  await api.start();
  let passed = 0;
  const clock: Clock = { ...systemClock, monotonic: () => systemClock.monotonic() + passed };
  const rates = { kubeAPIQPS: 50, kubeAPIBurst: 100, eventRecordQPS: 50, eventBurst: 100 };
  const clients = createClients(rates, { credentials: api.credentials, clock, userAgent: "test" });
  let returns = 0;
  clients.reach.onReturn(() => {
    returns += 1;
  });
  const fails = async (client: typeof clients.general): Promise<void> => {
    api.faults.push(hangUp);
    await expect(client.get("/x")).rejects.toMatchObject({ status: 0 });
    passed += MINUTE;
  };
  const seen: number[] = [];
  const answers = async (client: typeof clients.general): Promise<void> => {
    await client.get("/x");
    seen.push(returns);
  };
  try {
    await answers(clients.heartbeat);
    await fails(clients.general);
    await answers(clients.heartbeat);
    await fails(clients.heartbeat);
    await answers(clients.general);
    await answers(clients.heartbeat);
  } finally {
    await clients.close();
    await api.stop();
  }
  expect(seen).toEqual([0, 0, 0, 1]);
});
