import { describe, expect, test } from "@jest/globals";
import { readProcessCounts, readTree } from "../../src/tree.js";
import { aMachine, CLASSES } from "./world.js";

describe.each(["v1", "v2"] as const)("on %s", (version) => {
  const root = version === "v1" ? "/sys/fs/cgroup/pids" : "/sys/fs/cgroup";

  test.each([
    ["", 0],
    ["7\n", 1],
    ["7\n9\n", 2],
    ["7\n9", 2],
  ])("processes are counted by lines: %j is %d", (text, count) => {
    const { kernel, layout, addCgroup } = aMachine(version);
    addCgroup("/a");
    kernel.set(`${root}/a/cgroup.procs`, text);
    expect([...readProcessCounts(kernel, layout, ["/a", "/gone"])]).toEqual([["/a", count]]);
  });

  test("what has a cgroup is read, what has none is missing", () => {
    const { kernel, layout, addCgroup } = aMachine(version);
    for (const path of ["/kubepods", CLASSES.Burstable, "/kubepods/pod1", "/kubepods/pod1/scope-a"]) addCgroup(path);
    const pods = [
      { uid: "u1", path: "/kubepods/pod1", containers: ["a", "b", "unnamed"] },
      { uid: "u2", path: "/kubepods/pod2", containers: ["c"] },
    ];
    const containerName = (id: string) => (id === "unnamed" ? undefined : `scope-${id}`);
    const tree = readTree(kernel, layout, { kubepods: "/kubepods", qosPaths: CLASSES, pods, containerName }, 5_000);
    expect([tree.at, tree.pods?.path, Object.keys(tree.qos)]).toEqual([5_000, "/kubepods", ["Burstable"]]);
    expect([...tree.byPod].map(([uid, { usage }]) => [uid, usage.path])).toEqual([["u1", "/kubepods/pod1"]]);
    expect([...(tree.byPod.get("u1")?.containers ?? [])].map(([id, { path }]) => [id, path])).toEqual([
      ["a", "/kubepods/pod1/scope-a"],
    ]);
  });
});
