/** Whose answers say whether the server can be reached. */

import { type Clock, systemClock } from "@hooklet/utils";
import { expect, test } from "@jest/globals";
import { createClients } from "../../../src/kube-clients.js";
import { FakeApi, hangUp } from "../fake-api.js";

const MINUTE = 60_000;

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
