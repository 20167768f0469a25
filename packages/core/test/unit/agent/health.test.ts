import { VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import { createHealth, type HealthParts } from "../../../src/agent/health.js";

const plugin = { name: "plugin probe", ok: true };

function healthOf(change: Partial<Record<keyof HealthParts, unknown>> = {}, clock = new VirtualClock()) {
  return createHealth({
    clock,
    runtime: { name: "sample", health: async () => undefined },
    host: { health: () => [plugin] },
    hub: { silent: () => [] },
    conditions: { get: () => undefined },
    ...change,
  } as unknown as HealthParts);
}

const runtime = (health: () => Promise<unknown>) => ({ runtime: { name: "sample", health } });

test("an agent that is well: its runtime and its plugins; to be ready, its sources as well", async () => {
  const { health, ready } = healthOf();
  const alive = [{ name: "runtime sample", ok: true }, plugin];
  expect(await health()).toEqual({ ok: true, parts: alive });
  expect(await ready()).toEqual({ ok: true, parts: [{ name: "sources", ok: true }, ...alive] });
});

test("sources that have not been read are named, and only ready asks for them", async () => {
  const { health, ready } = healthOf({ hub: { silent: () => ["manifests", "cluster"] } });
  expect((await health()).ok).toBe(true);
  const { ok, parts } = await ready();
  expect([ok, parts[0]]).toEqual([false, { name: "sources", ok: false, message: "not read yet: manifests, cluster" }]);
});

test.each([
  ["True", true],
  ["False", false],
  ["Unknown", false],
])("a condition Ready of a plugin that is %s counts", async (status, expected) => {
  const get = (type: string) => (type === "Ready" ? { status, reason: "Own", message: "said" } : undefined);
  const { ok, parts } = await healthOf({ conditions: { get } }).ready();
  expect([ok, parts[1]]).toEqual([expected, { name: "node", ok: expected, message: "Own: said" }]);
});

test.each<[string, () => Promise<unknown>, string]>([
  ["says what is wrong", async () => "no network", "no network"],
  ["fails", () => Promise.reject(new Error("gone")), "gone"],
])("a runtime that %s", async (_name, health, message) => {
  expect(await healthOf(runtime(health)).health()).toEqual({
    ok: false,
    parts: [{ name: "runtime sample", ok: false, message }, plugin],
  });
});

test("a runtime that does not answer within 5 s", async () => {
  const clock = new VirtualClock();
  const asked = healthOf(
    runtime(() => new Promise(() => undefined)),
    clock,
  ).health();
  await clock.advance(5_000);
  expect((await asked).parts[0]).toEqual({
    name: "runtime sample",
    ok: false,
    message: "container runtime is down: no answer within 5 s",
  });
});
