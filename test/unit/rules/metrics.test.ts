import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { aContainer, aPod, SimulatedHost, startTestAgent, type TestAgent, VirtualClock } from "@hooklet/testkit";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { defaultPlugins } from "../../../packages/hooklet/src/default-plugins.js";
import { root } from "../../sources.js";

interface Family {
  readonly type: string;
  readonly labels: string;
}

/** Labels that are of the text format, not the metric's. */
const OWN_LABELS = ["le", "quantile"];

const golden = new Map<string, Family>(
  read("packages/core/test/golden/metrics.txt")
    .split("\n")
    .flatMap((line) => {
      const [, name = "", type = "", labels = ""] = /^(\w+) (\w+) \{(.*)\}$/.exec(line) ?? [];
      return name === "" ? [] : [[name, { type, labels }] as const];
    }),
);
const [here = [], notHere = []] = read("docs/reference/metrics.md")
  .split("\n## ")
  .slice(1)
  .map((part) => [...part.matchAll(/^\| `(\w+)`/gm)].map(([, name = ""]) => name));

let agent: TestAgent;
/** By path. */
const pages = new Map<string, string>();

beforeAll(async () => {
  const clock = new VirtualClock();
  const host = new SimulatedHost({ clock, cgroups: "v1" });
  const plugins = await Promise.all(
    defaultPlugins.map(async (name) => [((await import(name)) as { default: never }).default, {}] as const),
  );
  agent = await startTestAgent({ clock, host, plugins: plugins as never });
  await agent.apply(aPod({ name: "web", containers: [aContainer({ name: "main" })] }));
  await agent.waitFor(() => agent.pod("web").status?.phase === "Running");
  const { uid } = agent.pod("web").metadata;
  const id = (await agent.runtime.listContainers()).find(({ metadata }) => metadata.name === "main")?.id ?? "";
  const folders = host.kernel.directories("/sys/fs/cgroup/memory").find((name) => name.startsWith("hooklet-"));
  const cgroup = `/${folders}/kubepods/besteffort/pod${uid}/${id}`;
  for (const controller of ["cpu", "cpuacct", "memory", "pids"])
    host.kernel.addFolder(`/sys/fs/cgroup/${controller}${cgroup}`);
  host.kernel.set(`${agent.rootDir}/logs/default_web_${uid}/main/0.log`, "");
  agent.api.httpRequest({ method: "GET", path: "pods", serverType: "readonly", longRunning: false })();
  await clock.advance(600_000);
  for (const place of agent.api.metricPaths()) pages.set(place, (await agent.api.metrics(place))?.body ?? "");
});

afterAll(() => agent.stop());

function read(file: string): string {
  return readFileSync(path.join(root, file), "utf8");
}

/** name -> its type, and the labels of its samples where it has any. */
function shown(): ReadonlyMap<string, { readonly type: string; readonly labels: ReadonlySet<string> | undefined }> {
  const found = new Map<string, { type: string; labels: Set<string> | undefined }>();
  for (const [place, text] of pages) {
    // The same names with other labels: cAdvisor's.
    if (place === "/metrics/cadvisor") continue;
    for (const [, name = "", type = ""] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
      const samples = [...text.matchAll(new RegExp(`^${name}(?:_bucket|_sum|_count)?(?:\\{(.*)\\})? `, "gm"))];
      const labels = samples.flatMap(([, inner = ""]) =>
        [...inner.matchAll(/(\w+)="/g)].map(([, label = ""]) => label),
      );
      const own = new Set(labels.filter((label) => !OWN_LABELS.includes(label)));
      found.set(name, { type, labels: samples.length === 0 ? undefined : own });
    }
  }
  return found;
}

describe("docs/reference/metrics.md", () => {
  test("names every metric of a standalone kubelet once: as here, or as not here with the reason", () => {
    expect([...here, ...notHere].sort()).toEqual([...golden.keys()].sort());
  });

  test("what is here is shown, with the kubelet's type and labels", () => {
    const found = shown();
    const ours = here.map((name) => {
      const { type, labels } = found.get(name) ?? {};
      const known = golden.get(name)?.labels ?? "";
      return `${name} ${type} {${labels === undefined ? known : [...labels].sort().join(",")}}`;
    });
    expect(ours).toEqual(here.map((name) => `${name} ${golden.get(name)?.type} {${golden.get(name)?.labels}}`));
  });

  test("what is not here is not shown", () => {
    expect(notHere.filter((name) => shown().has(name))).toEqual([]);
  });
});

/** What promtool says against names that are the kubelet's: they stay. */
const KUBELET_NAMES = [
  'kubelet_cpu_manager_exclusive_cpu_allocation_count non-histogram and non-summary metrics should not have "_count" suffix',
  "kubelet_topology_manager_admission_duration_ms metric names should not contain abbreviated units",
];

const promtool = spawnSync("promtool", ["--version"]).status === 0;
if (!promtool && process.env.HOOKLET_TEST_REQUIRE) throw new Error("promtool is missing: apt-get install prometheus");

(promtool ? test : test.skip)(
  "every page is what promtool takes for metrics, but for names that are the kubelet's",
  () => {
    expect([...pages.keys()]).toEqual(
      expect.arrayContaining(["/metrics", "/metrics/cadvisor", "/metrics/probes", "/metrics/resource"]),
    );
    const complaints = [...pages].flatMap(([place, input]) => {
      const { stdout, stderr } = spawnSync("promtool", ["check", "metrics"], { input, encoding: "utf8" });
      const lines = `${stdout}${stderr}`.split("\n").filter((line) => line !== "");
      return lines.filter((line) => !KUBELET_NAMES.includes(line)).map((line) => `${place}: ${line}`);
    });
    expect(complaints).toEqual([]);
  },
);
