import { systemClock } from "@hooklet/core/base";
import { expect, test } from "@jest/globals";
import { createClients } from "../../src/kube-clients.js";
import { FakeApi } from "../fake-api.js";

test("strangers whose tokens are asked about keep nobody who is known from being asked about", async () => {
  const api = new FakeApi();
  await api.start();
  const rates = { kubeAPIQPS: 0.1, kubeAPIBurst: 1, eventRecordQPS: 50, eventBurst: 100 };
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
