import { describe, expect, test } from "@jest/globals";
import { VirtualClock } from "../../../../sim/src/clock/virtual-clock.js";
import { MetricRegistries } from "../../../src/plugin/metrics.js";

const registriesOf = (clock = new VirtualClock(), reports: string[] = []) =>
  new MetricRegistries(clock, (where, error) => void reports.push(`${where}: ${(error as Error).message}`));

describe("metrics", () => {
  test("each plugin's metrics are shown on the path it asked for", async () => {
    const registries = registriesOf();
    const a = registries.forOwner("a");
    a.counter({ name: "kubelet_a_total", help: "A.", labels: ["pod"] }).inc({ pod: "web" }, 2);
    a.gauge({ name: "a_now", help: "Now.", path: "/metrics/probes" }).set(7);
    const seconds = registries.forOwner("b").histogram({ name: "b_seconds", help: "B.", buckets: [1, 2] });
    seconds.observe(1.5);
    expect(registries.paths()).toEqual(["/metrics", "/metrics/probes"]);
    const main = await registries.render("/metrics");
    expect(main?.contentType).toMatch(/^text\/plain; version=0.0.4/);
    expect(main?.body).toContain('kubelet_a_total{pod="web"} 2');
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
    registries.forOwner("first").counter({ name: "first_total", help: "X." });
    const again = () => registries.forOwner("second").gauge({ name: "first_total", help: "X.", path: "/metrics/x" });
    expect(again).toThrow(/"second".*first_total exists already, made by "first"/);
    expect(registries.paths()).toEqual(["/metrics"]);
  });

  test.each(["team-env", "@shop/hooklet-plugin-team-env"])(
    "of plugin %s begin with its name, or are the kubelet's",
    (owner) => {
      const metrics = registriesOf().forOwner(owner);
      expect(() => metrics.counter({ name: "foo_total", help: "X." })).toThrow(
        "its metric foo_total does not begin with team_env_. Call it team_env_foo_total.",
      );
      metrics.counter({ name: "team_env_foo_total", help: "X." });
      metrics.counter({ name: "kubelet_started_pods_total", help: "X." });
    },
  );

  test("one may stand on two pages of its owner, and on each once", () => {
    const registries = registriesOf();
    const make = (owner: string, path: string) => () =>
      registries.forOwner(owner).gauge({ name: "kubelet_a", help: "A.", path });
    make("a", "/metrics")();
    make("a", "/metrics/resource")();
    const taken = 'metric kubelet_a exists already, made by "a". Choose another name.';
    for (const again of [make("a", "/metrics"), make("a", "/metrics/resource"), make("b", "/metrics/other")])
      expect(again).toThrow(expect.objectContaining({ code: "PLUGIN_START", message: expect.stringContaining(taken) }));
  });

  test.each([
    ["core", "any_thing"],
    ["@hooklet/plugin-x", "any_thing"],
    ["p", "p_things"],
    ["hooklet-plugin-a-b", "a_b_things"],
    ["hooklet-a", "a_things"],
    ["@shop/a", "shop_a_things"],
    ["p", "scrape_error"],
    ["p", "resource_scrape_error"],
    ["p", "rest_client_requests_total"],
    ["p", "prober_probe_total"],
  ])("of %s may be called %s", (owner, name) => {
    expect(() => registriesOf().forOwner(owner).gauge({ name, help: "X." })).not.toThrow();
  });

  test.each([
    ["p", "things"],
    ["p", "a_kubelet_things"],
    ["p", "px_things"],
    ["p", "scrape_errors"],
    ["a@hooklet/p", "p_things"],
    ["a/hooklet-p", "p_things"],
  ])("of %s may not be called %s", (owner, name) => {
    expect(() => registriesOf().forOwner(owner).gauge({ name, help: "X." })).toThrow("does not begin with");
  });

  test.each<[string, object, string]>([
    ["a bad name", { name: "a-b", help: "x" }, 'name of a metric: expected letters, digits, _ and :, found "a-b"'],
    ["a name that begins with a digit", { name: "1a", help: "x" }, "name of a metric"],
    ["no help", { name: "a", help: "" }, 'help of metric a: expected a sentence, found ""'],
    ["help that is no text", { name: "a", help: 1 }, "help of metric a: expected a sentence, found 1"],
    ...["/healthz", "/metrics/../pods", "/metrics/", "/metrics/A", "/x/metrics", "/metrics/a/b/c/d", "/metrics/-a"].map(
      (path): [string, object, string] => [
        `the path ${path}`,
        { name: "a", help: "x", path },
        `path of metric a: expected /metrics or a path below it, found "${path}"`,
      ],
    ),
  ])("%s is refused", (_, options, message) => {
    expect(() =>
      registriesOf()
        .forOwner("p")
        .counter(options as never),
    ).toThrow(expect.objectContaining({ code: "INVALID", message: expect.stringContaining(message) }));
  });

  test.each(["/metrics/a", `/metrics/${"a".repeat(63)}`, "/metrics/0/a-b/c_d"])("may stand on %s", (path) => {
    const registries = registriesOf();
    registries.forOwner("p").gauge({ name: "p_a", help: "X.", path });
    expect(registries.paths()).toEqual(["/metrics", path]);
  });

  describe("that are collected", () => {
    const families = [
      { name: "kubelet_a_total", help: "C.", type: "counter", path: "/metrics/resource" },
      { name: "kubelet_a_bytes", help: "B.", type: "gauge", path: "/metrics/resource" },
    ] as const;

    test("are read once at each scrape, and not before", async () => {
      const registries = registriesOf();
      let readings = 0;
      registries.forOwner("a").collect(families, () => {
        readings += 1;
        return {
          kubelet_a_total: [{ labels: { pod: 'a"b\\c\n', ns: "d" }, value: readings, timestamp: 1_700_000_000_123 }],
          kubelet_a_bytes: [{ value: Number.POSITIVE_INFINITY }],
        };
      });
      expect(readings).toBe(0);
      const text = (await registries.render("/metrics/resource"))?.body;
      expect(text).toBe(
        "# HELP kubelet_a_total C.\n# TYPE kubelet_a_total counter\n" +
          'kubelet_a_total{pod="a\\"b\\\\c\\n",ns="d"} 1 1700000000123\n' +
          "# HELP kubelet_a_bytes B.\n# TYPE kubelet_a_bytes gauge\nkubelet_a_bytes +Inf\n",
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
      registries.forOwner("c").gauge({ name: "kubelet_d_now", help: "D.", path: "/metrics/resource" }).set(1);
      const page = registries.render("/metrics/resource");
      await clock.advance(10_000);
      expect((await page)?.body).toBe("# HELP kubelet_d_now D.\n# TYPE kubelet_d_now gauge\nkubelet_d_now 1\n");
      expect(reports).toEqual(["metrics of a: no cgroups", expect.stringContaining("no reading within 10 s")]);
    });

    test.each<[string, readonly object[], string]>([
      ["without a family", [], "collect: expected at least one family, found []."],
      [
        "on two paths",
        [families[0], { ...families[1], path: "/metrics/other" }],
        'path of metric kubelet_a_bytes: expected /metrics/resource, found "/metrics/other".',
      ],
      [
        "on a path and, for want of one, on /metrics",
        [families[0], { name: "kubelet_c", help: "C.", type: "gauge" }],
        "path of metric kubelet_c: expected /metrics/resource, found nothing.",
      ],
    ])("%s are refused", (_, all, message) => {
      expect(() =>
        registriesOf()
          .forOwner("a")
          .collect(all as never, () => ({})),
      ).toThrow(expect.objectContaining({ code: "INVALID", message }));
    });

    test("are read for the page that they stand on alone", async () => {
      const registries = registriesOf();
      let readings = 0;
      registries.forOwner("a").collect(families, () => {
        readings += 1;
        return { kubelet_a_bytes: [{ value: 1 }] };
      });
      expect((await registries.render("/metrics"))?.body).toBe("");
      expect(readings).toBe(0);
    });

    test("stand on /metrics without a path", async () => {
      const registries = registriesOf();
      const all = [{ name: "kubelet_c", help: "C.", type: "gauge" }] as const;
      registries.forOwner("a").collect(all, () => ({ kubelet_c: [{ value: 1 }] }));
      expect((await registries.render("/metrics"))?.body).toBe(
        "# HELP kubelet_c C.\n# TYPE kubelet_c gauge\nkubelet_c 1\n",
      );
    });

    test("a name that is taken is refused here as well", () => {
      const registries = registriesOf();
      registries.forOwner("a").collect(families, () => ({}));
      expect(() => registries.forOwner("b").counter({ name: "kubelet_a_total", help: "C." })).toThrow(/made by "a"/);
    });
  });
});
