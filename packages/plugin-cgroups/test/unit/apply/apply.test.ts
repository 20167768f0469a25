import type { KernelTree } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import { applyPlan } from "../../../src/apply/apply.js";
import { nodePlan } from "../../../src/plan/node-plan.js";
import { podPlan } from "../../../src/plan/pod-plan.js";
import type { Plan } from "../../../src/plan/setting.js";
import { qosSums } from "../../../src/rules/qos.js";
import { aMachine } from "../machine.js";
import { aNode, aPod, both, MIB } from "../world.js";

const line = (path: string, file: string, value: string): Plan[number] => ({ path, file, value, why: "test" });
const pod = aPod("a", [both({ cpu: "1", memory: "64Mi" })]);

describe.each(["v1", "v2"] as const)("cgroup %s", (version) => {
  const node = aNode({ podPidsLimit: 100 }, { version, hugetlb: true });
  const plan = [...nodePlan(node, qosSums([pod])), ...podPlan(pod, node)];

  test("a plan applied twice writes nothing the second time", async () => {
    const { kernel, files, layout } = aMachine(version);
    const first = await applyPlan(files, layout, plan);
    expect(first.refused).toEqual([]);
    expect(first.made).toEqual(["/kubepods", "/kubepods/burstable", "/kubepods/besteffort", "/kubepods/poduid-a"]);
    const count = kernel.writes.length;
    expect(await applyPlan(files, layout, plan)).toEqual({ made: [], written: [], refused: [] });
    expect(kernel.writes).toHaveLength(count);
  });

  test("only a file that was changed from outside is written again, and its old value is reported", async () => {
    const { kernel, files, layout } = aMachine(version);
    await applyPlan(files, layout, plan);
    const folder = version === "v1" ? "/sys/fs/cgroup/pids" : "/sys/fs/cgroup";
    kernel.set(`${folder}/kubepods/poduid-a/pids.max`, "7");
    const { written } = await applyPlan(files, layout, plan);
    expect(written).toMatchObject([{ path: "/kubepods/poduid-a", file: "pids.max", value: "100", before: "7" }]);
  });

  test("a refusal of the kernel is reported with its errno, and the rest is written", async () => {
    const { kernel, files, layout } = aMachine(version);
    const file = version === "v1" ? "memory.limit_in_bytes" : "memory.max";
    const folder = version === "v1" ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup";
    kernel.fail(`${folder}/kubepods/poduid-a/${file}`, "EBUSY");
    const { refused, written } = await applyPlan(files, layout, plan);
    expect(refused).toMatchObject([{ path: "/kubepods/poduid-a", file, wanted: String(64 * MIB), errno: "EBUSY" }]);
    expect(written.map((one) => one.file)).toContain("pids.max");
  });

  test("a cgroup that cannot be made is reported once, and its files are left out", async () => {
    const { kernel, files, layout } = aMachine(version);
    const folder = version === "v1" ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup";
    kernel.fail(`${folder}/kubepods/poduid-a`, "EACCES");
    const { refused, written } = await applyPlan(files, layout, plan);
    expect(refused).toMatchObject([{ path: "/kubepods/poduid-a", wanted: "the cgroup", errno: "EACCES" }]);
    expect(written.filter(({ path }) => path === "/kubepods/poduid-a")).toEqual([]);
  });
});

describe("order", () => {
  const tree = (parent: string, child: string): Plan => [
    line("/kubepods", "memory.limit_in_bytes", parent),
    line("/kubepods/burstable", "memory.limit_in_bytes", child),
  ];
  const order = (kernel: KernelTree): string[] =>
    kernel.writes.map((write) => write.replace("/sys/fs/cgroup/memory", "").replace("/memory.limit_in_bytes", ""));

  test("what grows is written to the parent first, what shrinks to the child first", async () => {
    const { kernel, files, layout } = aMachine("v1");
    await applyPlan(files, layout, tree(String(64 * MIB), String(32 * MIB)));
    kernel.writes.length = 0;
    await applyPlan(files, layout, tree(String(128 * MIB), String(96 * MIB)));
    expect(order(kernel)).toEqual([`/kubepods=${128 * MIB}`, `/kubepods/burstable=${96 * MIB}`]);
    kernel.writes.length = 0;
    await applyPlan(files, layout, tree(String(16 * MIB), String(8 * MIB)));
    expect(order(kernel)).toEqual([`/kubepods/burstable=${8 * MIB}`, `/kubepods=${16 * MIB}`]);
  });
});

test("a value that the kernel quietly changes is reported", async () => {
  const { kernel, files, layout } = aMachine("v1");
  const write = kernel.write.bind(kernel);
  kernel.write = (path, value) => write(path, path.endsWith("cpu.shares") ? "2" : value);
  const { refused } = await applyPlan(files, layout, [line("/kubepods", "cpu.shares", "500")]);
  expect(refused).toMatchObject([{ wanted: "500", got: "2", errno: undefined }]);
});

test("a reserved cgroup that is not there is not made", async () => {
  const { kernel, files, layout } = aMachine("v1");
  const { refused, made } = await applyPlan(files, layout, [line("/system", "cpu.shares", "512")], { make: false });
  expect(made).toEqual([]);
  expect(refused).toMatchObject([{ path: "/system", wanted: "the cgroup", errno: "ENOENT" }]);
  expect(kernel.directories("/sys/fs/cgroup/cpu")).toEqual([]);
});

test("v2 parents delegate their controllers, and a refusal is reported", async () => {
  const { kernel, files, layout } = aMachine("v2");
  kernel.fail("/sys/fs/cgroup/cgroup.subtree_control", "EBUSY");
  const { refused } = await applyPlan(files, layout, [line("/kubepods/burstable", "cpu.weight", "2")]);
  expect(kernel.read("/sys/fs/cgroup/kubepods/cgroup.subtree_control")).toBe("cpu cpuset memory hugetlb pids io");
  expect(refused.map(({ file, wanted, errno }) => `${file} ${wanted} ${errno}`)).toContain(
    "cgroup.subtree_control +memory EBUSY",
  );
});

test.each([
  ["goes down on a cgroup in use", { before: 64, value: 32, slowly: true }],
  ["goes up", { before: 64, value: 128, slowly: false }],
  ["is set for the first time", { before: undefined, value: 32, slowly: false }],
])("a limit of memory that %s: only what makes the kernel reclaim may take long", async (_name, limit) => {
  const { files, layout } = aMachine("v1");
  const slow: string[] = [];
  const plan = (mebibytes: number): Plan => [
    line("/kubepods", "memory.limit_in_bytes", String(mebibytes * MIB)),
    line("/kubepods", "cpu.shares", String(mebibytes)),
  ];
  if (limit.before !== undefined) await applyPlan(files, layout, plan(limit.before));
  const writeSlowly = async (path: string, value: string): Promise<void> => {
    slow.push(path);
    files.write(path, value);
  };
  const { refused } = await applyPlan({ ...files, writeSlowly }, layout, plan(limit.value));
  expect(refused).toEqual([]);
  expect(slow).toEqual(limit.slowly ? ["/sys/fs/cgroup/memory/kubepods/memory.limit_in_bytes"] : []);
});
