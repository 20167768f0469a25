import type { Metrics } from "@hooklet/core";
import type { Sample } from "@hooklet/core/subsystem";
import { aPod } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import { createMetrics } from "../../src/metrics.js";

function started() {
  let collect: () => Readonly<Record<string, readonly Sample[]>> = () => ({});
  const metrics = {
    collect(_: unknown, run: typeof collect) {
      collect = run;
    },
  } as unknown as Metrics;
  const series = createMetrics(metrics);
  const worker = (name: string) => {
    const pod = aPod({ name });
    return series({ ...pod, metadata: { ...pod.metadata, generateName: "web-" } }, "main", "liveness");
  };
  const count = () => collect().prober_probe_duration_seconds?.find(({ suffix }) => suffix === "_count")?.value;
  return { worker, count };
}

describe("the histogram of a workload's pods", () => {
  test("does not go down when one of them goes, and goes with the last", () => {
    const { worker, count } = started();
    const [one, two] = [worker("web-1"), worker("web-2")];
    for (let round = 0; round < 3; round++) one.probed("success", 0.1);
    two.probed("success", 0.1);
    expect(count()).toBe(4);
    one.remove();
    one.remove();
    expect(count()).toBe(4);
    two.probed("success", 0.1);
    expect(count()).toBe(5);
    two.remove();
    expect(count()).toBeUndefined();
  });
});
