/** `hooklet get eviction`: each threshold, what is left, and what that leads to. */
import { parseQuantity } from "@hooklet/core/rules";
import { expect, test } from "@jest/globals";
import type { EvictionManager } from "../../src/eviction-manager.js";
import type { EvictionState } from "../../src/round.js";
import { STALL_CAPACITY } from "../../src/signals.js";
import type { EvictionThreshold } from "../../src/thresholds.js";
import { evictionView } from "../../src/view.js";

const GIBIBYTE = 2 ** 30;
const NOW = 100_500;

const hard: EvictionThreshold = {
  signal: "memory.available",
  value: { quantity: parseQuantity("100Mi") },
  gracePeriodSeconds: 0,
};
const soft: EvictionThreshold = {
  signal: "nodefs.available",
  value: { percentage: 0.25 },
  gracePeriodSeconds: 90,
  minReclaim: { quantity: parseQuantity("1Gi") },
};
const stall: EvictionThreshold = {
  signal: "psi.memory.full",
  value: { percentage: 0.2 },
  gracePeriodSeconds: 30,
};

function viewOf(state: Partial<EvictionState>) {
  const whole = {
    thresholds: [hard, soft],
    since: new Map(),
    due: [],
    conditions: [],
    observations: new Map(),
    ...state,
  };
  return evictionView({ state: whole } as unknown as EvictionManager, () => NOW);
}
const rows = async (state: Partial<EvictionState>) => viewOf(state).rows();

test("the columns, and those that only -o wide has", () => {
  const { columns } = viewOf({});
  const named = (wide: boolean) => columns.filter((one) => (one.wide ?? false) === wide).map(({ name }) => name);
  expect([named(false), named(true)]).toEqual([
    ["signal", "threshold", "available", "capacity", "state", "condition"],
    ["grace", "reclaim"],
  ]);
});

test("a threshold whose signal was not measured yet: nothing is known of it", async () => {
  expect(await rows({})).toEqual([
    {
      signal: "memory.available",
      resource: "memory",
      threshold: "100Mi",
      available: "unknown",
      capacity: "unknown",
      state: "no signal",
      condition: "MemoryPressure no",
      grace: "hard",
      reclaim: "",
    },
    {
      signal: "nodefs.available",
      resource: "ephemeral-storage",
      threshold: "25%",
      available: "unknown",
      capacity: "unknown",
      state: "no signal",
      condition: "DiskPressure no",
      grace: "soft 90s",
      reclaim: "1Gi",
    },
  ]);
});

test("a threshold in percent shows its amount as well, and a condition that holds stands alone", async () => {
  const observations = new Map([
    ["memory.available", { available: GIBIBYTE / 2, capacity: GIBIBYTE }],
    ["nodefs.available", { available: 2 * GIBIBYTE, capacity: 20 * GIBIBYTE }],
  ]) as unknown as EvictionState["observations"];
  expect(await rows({ observations, conditions: ["DiskPressure"] })).toMatchObject([
    { threshold: "100Mi", available: "512Mi", capacity: "1Gi", state: "ok", condition: "MemoryPressure no" },
    { threshold: "25% (5Gi)", available: "2Gi", capacity: "20Gi", state: "ok", condition: "DiskPressure" },
  ]);
});

test("a crossed threshold tells since when, in whole seconds, and whether its grace period still runs", async () => {
  const since = new Map([
    [hard, NOW - 5_999],
    [soft, NOW - 60_000],
  ]);
  expect(await rows({ since, due: [hard] })).toMatchObject([
    { state: "crossed for 5s" },
    { state: "crossed for 60s, grace period runs" },
  ]);
});

test("of stalls the share of time is shown", async () => {
  const observations = new Map([
    [stall.signal, { available: STALL_CAPACITY * 0.75, capacity: STALL_CAPACITY }],
  ]) as unknown as EvictionState["observations"];
  expect(await rows({ thresholds: [stall], observations })).toMatchObject([{ available: "25%", capacity: "100%" }]);
});
