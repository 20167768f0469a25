import { parseList } from "@hooklet/core/rules";
import { expect, test } from "@jest/globals";
import { nodePlan } from "../../../src/plan/node-plan.js";
import { containerPlan, podPlan } from "../../../src/plan/pod-plan.js";
import type { Plan } from "../../../src/plan/setting.js";
import { qosSums } from "../../../src/rules/qos.js";
import { GOLDEN_PIDS, goldenFiles, goldenMachine, goldenOomScores, goldenPods } from "../golden.js";
import { aNode } from "../world.js";

const node = aNode({ podPidsLimit: GOLDEN_PIDS }, { capacity: parseList(goldenMachine) });

/** What a new cgroup holds before any write. */
const defaults: Readonly<Record<string, string>> = {
  "cpu.shares": "1024",
  "cpu.cfs_quota_us": "-1",
  "cpu.cfs_period_us": "100000",
  "memory.limit_in_bytes": "9223372036854771712",
  "pids.max": "max",
  "cpuset.cpus": "0-1",
};

const withNames = (path: string): string =>
  path.replace(/poduid-(\w+)\/main$/, "<$1>/<main>").replace(/poduid-(\w+)$/, "<$1>");
const mains = goldenPods.flatMap((pod): Plan => containerPlan(pod, pod.spec.containers[0] ?? { name: "" }, node).plan);
const plan = [...nodePlan(node, qosSums(goldenPods)), ...goldenPods.flatMap((pod) => podPlan(pod, node)), ...mains];
const planned = new Map(plan.map(({ path, file, value }) => [`${withNames(path)}/${file}`, value]));

// The sandbox's own cgroup is the runtime's business.
test.each(goldenFiles.filter(({ cgroup }) => !cgroup.endsWith("<sandbox>")))(
  "$cgroup/$file is what the kubelet wrote: $value",
  ({ cgroup, file, value }) => {
    expect(planned.get(`${cgroup}/${file}`) ?? defaults[file]).toBe(value);
  },
);

test("nothing is planned that the kubelet did not write", () => {
  const written = new Set(goldenFiles.map(({ cgroup, file }) => `${cgroup}/${file}`));
  expect([...planned.keys()].filter((key) => !written.has(key) && !key.endsWith("/oom_score_adj"))).toEqual([]);
});

test("oom scores are those that the kubelet asked for", () => {
  for (const [name, score] of goldenOomScores) {
    const pod = goldenPods.find(({ metadata }) => metadata.name === name);
    const main = pod?.spec.containers[0];
    expect(pod && main && containerPlan(pod, main, node).resources.oomScoreAdj).toBe(score);
  }
});
