import { describe, expect, test } from "@jest/globals";
import { z } from "zod";
import type { ShutdownOptions } from "../../src/groups.js";
import { detected } from "../../src/messages.js";
import { options } from "../../src/options.js";

const schema = (typeof options === "function" ? options(z) : options) as z.ZodType<ShutdownOptions>;
const faults = (given: unknown) =>
  schema.safeParse(given).error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];
const period = (priority: number, shutdownGracePeriodSeconds = 1) => ({ priority, shutdownGracePeriodSeconds });

test("without options the node waits for no pod", () => {
  expect(schema.parse({})).toEqual({
    shutdownGracePeriod: 0,
    shutdownGracePeriodCriticalPods: 0,
    shutdownGracePeriodByPodPriority: [],
  });
});

test.each([
  { name: "all of the time for critical pods", given: { all: "10s", critical: "10s" } },
  { name: "a second, the least there is", given: { all: "1s", critical: "1s" } },
  { name: "a day, the most there is", given: { all: "24h", critical: "0s" } },
])("$name is accepted", ({ given: { all, critical } }) => {
  expect(faults({ shutdownGracePeriod: all, shutdownGracePeriodCriticalPods: critical })).toEqual([]);
});

test("groups by priority are accepted from the least to the greatest priority, from no time to a day", () => {
  const shutdownGracePeriodByPodPriority = [period(-2_147_483_648, 0), period(2_147_483_647, 86_400)];
  expect(schema.parse({ shutdownGracePeriodByPodPriority })).toMatchObject({ shutdownGracePeriodByPodPriority });
});

describe("a fault is reported with the option's name", () => {
  test.each([
    {
      name: "a period below a second, which the kubelet refuses too",
      given: { shutdownGracePeriod: "900ms" },
      fault: "shutdownGracePeriod: 0, or at least 1s",
    },
    {
      name: "critical pods with less than a second",
      given: { shutdownGracePeriod: "30s", shutdownGracePeriodCriticalPods: "900ms" },
      fault: "shutdownGracePeriodCriticalPods: 0, or at least 1s",
    },
    {
      name: "critical pods with more than all",
      given: { shutdownGracePeriod: "30s", shutdownGracePeriodCriticalPods: "31s" },
      fault: "shutdownGracePeriodCriticalPods: at most shutdownGracePeriod",
    },
    {
      name: "both ways of saying it",
      given: { shutdownGracePeriod: "30s", shutdownGracePeriodByPodPriority: [period(0)] },
      fault: "shutdownGracePeriodByPodPriority: shutdownGracePeriodByPodPriority or shutdownGracePeriod, not both",
    },
  ])("$name", ({ given, fault }) => {
    expect(faults(given)).toEqual([fault]);
  });

  test.each([
    { name: "more than a day", given: { shutdownGracePeriod: "25h" }, field: "shutdownGracePeriod" },
    {
      name: "more than a day for critical pods",
      given: { shutdownGracePeriod: "24h", shutdownGracePeriodCriticalPods: "25h" },
      field: "shutdownGracePeriodCriticalPods",
    },
    {
      name: "a priority below all",
      given: { shutdownGracePeriodByPodPriority: [period(-2_147_483_649)] },
      field: "shutdownGracePeriodByPodPriority.0.priority",
    },
    {
      name: "a priority above all",
      given: { shutdownGracePeriodByPodPriority: [period(2_147_483_648)] },
      field: "shutdownGracePeriodByPodPriority.0.priority",
    },
    {
      name: "a group with less than no time",
      given: { shutdownGracePeriodByPodPriority: [period(0, -1)] },
      field: "shutdownGracePeriodByPodPriority.0.shutdownGracePeriodSeconds",
    },
    {
      name: "a group with more than a day",
      given: { shutdownGracePeriodByPodPriority: [period(0, 86_401)] },
      field: "shutdownGracePeriodByPodPriority.0.shutdownGracePeriodSeconds",
    },
    {
      name: "more than a hundred groups",
      given: { shutdownGracePeriodByPodPriority: Array.from({ length: 101 }, (_, index) => period(index)) },
      field: "shutdownGracePeriodByPodPriority",
    },
  ])("$name", ({ given, field }) => {
    expect(faults(given).map((fault) => fault.split(":")[0])).toContain(field);
  });
});

test("the node's event reports the shutdown, or that it was cancelled, as the kubelet does", () => {
  expect([true, false].map(detected)).toEqual([
    "Shutdown manager detected shutdown event",
    "Shutdown manager detected shutdown cancellation",
  ]);
});
