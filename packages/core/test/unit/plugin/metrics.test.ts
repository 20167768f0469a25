import { describe, expect, test } from "@jest/globals";
import { VirtualClock } from "../../../../sim/src/clock/virtual-clock.js";
import { MetricRegistries } from "../../../src/plugin/metrics.js";

const registriesOf = (clock = new VirtualClock(), reports: string[] = []) =>
  new MetricRegistries(clock, (where, error) => void reports.push(`${where}: ${(error as Error).message}`));

describe("metrics", () => {
  test("each plugin's metrics are shown on the path it asked for", async () => {
    const registries = registriesOf();
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
    const registries = registriesOf();
    const gauge = registries.forOwner("a").gauge({ name: "a_now", help: "Now.", labels: ["pod"] });
    gauge.set(1, { pod: "web" });
    gauge.set(2, { pod: "db" });
    gauge.remove({ pod: "web" });
    const body = (await registries.render("/metrics"))?.body;
    expect(body).toContain('a_now{pod="db"} 2');
    expect(body).not.toContain("web");
  });

  test("a duplicate name is an error naming both, on any path, and leaves no path behind", () => {
    const registries = registriesOf();
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
    expect(() => registriesOf().forOwner("p").counter(options)).toThrow(expect.objectContaining({ code: "INVALID" }));
  });

  describe("that are collected", () => {
    const families = [
      { name: "c_total", help: "C.", type: "counter", path: "/metrics/resource" },
      { name: "c_bytes", help: "B.", type: "gauge", path: "/metrics/resource" },
    ] as const;

    test("are read once at each scrape, and not before", async () => {
      const registries = registriesOf();
      let readings = 0;
      registries.forOwner("a").collect(families, () => {
        readings += 1;
        return {
          c_total: [{ labels: { pod: 'a"b\\c\n', ns: "d" }, value: readings, timestamp: 1_700_000_000_123 }],
          c_bytes: [{ value: Number.POSITIVE_INFINITY }],
        };
      });
      expect(readings).toBe(0);
      const text = (await registries.render("/metrics/resource"))?.body;
      expect(text).toBe(
        "# HELP c_total C.\n# TYPE c_total counter\n" +
          'c_total{pod="a\\"b\\\\c\\n",ns="d"} 1 1700000000123\n' +
          "# HELP c_bytes B.\n# TYPE c_bytes gauge\nc_bytes +Inf\n",
      );
      await registries.render("/metrics/resource");
      expect(readings).toBe(2);
    });

    test("a reading that fails or hangs costs its own families and is reported", async () => {
      const clock = new VirtualClock();
      const reports: string[] = [];
      const registries = registriesOf(clock, reports);
      registries.forOwner("a").collect([families[0]], () => Promise.reject(new Error("no cgroups")));
      registries.forOwner("b").collect([families[1]], () => new Promise(() => {}));
      registries.forOwner("c").gauge({ name: "d_now", help: "D.", path: "/metrics/resource" }).set(1);
      const page = registries.render("/metrics/resource");
      await clock.advance(10_000);
      expect((await page)?.body).toBe("# HELP d_now D.\n# TYPE d_now gauge\nd_now 1\n");
      expect(reports).toEqual(["metrics of a: no cgroups", expect.stringContaining("no reading within 10 s")]);
    });

    test("a name that is taken is refused here as well", () => {
      const registries = registriesOf();
      registries.forOwner("a").collect(families, () => ({}));
      expect(() => registries.forOwner("b").counter({ name: "c_total", help: "C." })).toThrow(/made by "a"/);
    });
  });
});
