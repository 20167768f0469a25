import { describe, expect, test } from "@jest/globals";
import { MetricRegistries } from "../../src/plugin/metrics.js";

describe("metrics", () => {
  test("each plugin's metrics are shown on the path it asked for", async () => {
    const registries = new MetricRegistries();
    const a = registries.forOwner("a");
    a.counter({ name: "a_total", help: "A.", labels: ["pod"] }).inc({ pod: "web" }, 2);
    a.gauge({ name: "a_now", help: "Now.", path: "/metrics/probes" }).set(7);
    const seconds = registries.forOwner("b").histogram({ name: "b_seconds", help: "B.", buckets: [1, 2] });
    seconds.observe(1.5);
    expect(registries.paths()).toEqual(["/metrics", "/metrics/probes"]);
    const main = await registries.render("/metrics");
    expect(main?.contentType).toMatch(/^text\/plain; version=0.0.4/);
    expect(main?.body).toContain('a_total{pod="web"} 2');
    expect(main?.body).toContain('b_seconds_bucket{le="2"} 1');
    expect(main?.body).not.toContain("a_now");
    expect((await registries.render("/metrics/probes"))?.body).toContain("a_now 7");
    expect(await registries.render("/metrics/other")).toBeUndefined();
  });

  test("a series is removed by its labels", async () => {
    const registries = new MetricRegistries();
    const gauge = registries.forOwner("a").gauge({ name: "a_now", help: "Now.", labels: ["pod"] });
    gauge.set(1, { pod: "web" });
    gauge.set(2, { pod: "db" });
    gauge.remove({ pod: "web" });
    const body = (await registries.render("/metrics"))?.body;
    expect(body).toContain('a_now{pod="db"} 2');
    expect(body).not.toContain("web");
  });

  test("a name that is taken is an error naming both, on whatever path, and leaves no path behind", () => {
    const registries = new MetricRegistries();
    registries.forOwner("first").counter({ name: "x_total", help: "X." });
    const again = () => registries.forOwner("second").gauge({ name: "x_total", help: "X.", path: "/metrics/x" });
    expect(again).toThrow(/"second".*x_total exists already, made by "first"/);
    expect(registries.paths()).toEqual(["/metrics"]);
  });

  test.each([
    { name: "a bad name", options: { name: "a-b", help: "x" } },
    { name: "no help", options: { name: "a", help: "" } },
    { name: "a path that would hide another", options: { name: "a", help: "x", path: "/healthz" } },
    { name: "a path that leaves /metrics", options: { name: "a", help: "x", path: "/metrics/../pods" } },
  ])("$name is refused", ({ options }) => {
    expect(() => new MetricRegistries().forOwner("p").counter(options)).toThrow(
      expect.objectContaining({ code: "INVALID" }),
    );
  });
});
