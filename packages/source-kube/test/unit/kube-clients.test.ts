/** The ways to the API server: which share a rate, and which are limited by none. */
import { VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import { createClient, createClients, type KubeClients } from "../../src/kube-clients.js";

/** Without credentials a request ends before a connection is opened. */
const NO_CREDENTIALS = "no kubeconfig";
const LIMITED = "too many requests wait to be sent to the API server";

function made(burst = 1) {
  const clock = new VirtualClock();
  const credentials = {
    current: () => Promise.reject(new Error(NO_CREDENTIALS)),
    doubt: () => undefined,
    watch: () => undefined,
  };
  const rates = { kubeAPIQPS: 0.1, kubeAPIBurst: burst, eventRecordQPS: 0.1, eventBurst: burst };
  const clients = createClients(rates, { credentials, clock, userAgent: "test" });
  const asks = (name: Exclude<keyof KubeClients, "reach" | "close">): Promise<string> =>
    clients[name].get("/a", { timeout: 4_000 }).then(String, (error: Error) => error.message);
  return { clock, clients, credentials, asks };
}

test.each(["tokenReviews", "accessReviews", "events"] as const)("%s have a rate of their own", async (name) => {
  const { asks } = made();
  expect(await asks("general")).toBe(NO_CREDENTIALS);
  expect([await asks(name), await asks(name)]).toEqual([NO_CREDENTIALS, LIMITED]);
});

test("statuses share the rate of the general requests", async () => {
  const { asks } = made();
  expect([await asks("general"), await asks("statuses"), await asks("general")]).toEqual([
    NO_CREDENTIALS,
    LIMITED,
    LIMITED,
  ]);
  const two = made(2);
  expect([await two.asks("general"), await two.asks("statuses"), await two.asks("statuses")]).toEqual([
    NO_CREDENTIALS,
    NO_CREDENTIALS,
    LIMITED,
  ]);
});

test.each(["looks", "heartbeat", "watches"] as const)("%s has no rate", async (name) => {
  const { asks } = made();
  expect([await asks("general"), await asks(name), await asks(name), await asks(name)]).toEqual(
    [0, 1, 2, 3].map(() => NO_CREDENTIALS),
  );
});

test("a client for other credentials has no rate; all of them can be closed", async () => {
  const { clock, clients, credentials } = made();
  const { client, close } = createClient({ credentials, clock, userAgent: "test" });
  for (const _ of [1, 2]) await expect(client.get("/a")).rejects.toMatchObject({ reason: "NoCredentials" });
  await close();
  await clients.close();
});
