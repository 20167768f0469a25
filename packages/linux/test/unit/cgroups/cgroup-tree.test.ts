import { SimulatedHost, VirtualClock } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import { makeCgroup } from "../../../src/cgroups/cgroup-tree.js";

const ROOT = "/sys/fs/cgroup";
const machine = (cgroups: "v1" | "v2") => new SimulatedHost({ clock: new VirtualClock(), cgroups }).kernel;

describe("on v2", () => {
  const mount = { mountPoint: ROOT, version: "v2", cpuset: false } as const;

  test("parents are made and hand their controllers down", () => {
    const kernel = machine("v2");
    expect(makeCgroup(kernel, mount, "/a/b")).toEqual({ made: true, notHandedDown: [] });
    for (const parent of ["", "/a"]) expect(kernel.read(`${ROOT}${parent}/cgroup.subtree_control`)).toContain("memory");
    expect(kernel.read(`${ROOT}/a/b/cgroup.subtree_control`)).toBe("");
  });

  test("a controller that a parent cannot delegate is reported, and the cgroup is made anyway", () => {
    const kernel = machine("v2");
    kernel.fail(`${ROOT}/cgroup.subtree_control`, "EBUSY");
    const { made, notHandedDown } = makeCgroup(kernel, mount, "/a");
    expect(made).toBe(true);
    expect(notHandedDown).toContainEqual(expect.objectContaining({ path: "/", controller: "memory", errno: "EBUSY" }));
  });

  test("an existing one costs no write, unless it is checked thoroughly", () => {
    const kernel = machine("v2");
    kernel.addFolder(`${ROOT}/a`);
    expect(makeCgroup(kernel, mount, "/a").made).toBe(false);
    expect(kernel.writes).toEqual([]);
    makeCgroup(kernel, mount, "/a", true);
    expect(kernel.read(`${ROOT}/cgroup.subtree_control`)).toContain("cpu");
  });
});

describe("on v1", () => {
  const mount = { mountPoint: `${ROOT}/cpuset`, version: "v1", cpuset: true } as const;

  test("a cpuset begins with what its parent has, so that processes can enter", () => {
    const kernel = machine("v1");
    makeCgroup(kernel, mount, "/a/b");
    expect(["cpus", "mems"].map((file) => kernel.read(`${ROOT}/cpuset/a/b/cpuset.${file}`))).toEqual(["0-1", "0"]);
  });

  test("an incomplete one gets its processors when it is checked thoroughly; others keep theirs", () => {
    const kernel = machine("v1");
    kernel.addFolder(`${ROOT}/cpuset/a/b`);
    kernel.set(`${ROOT}/cpuset/a/cpuset.cpus`, "1");
    makeCgroup(kernel, mount, "/a/b", true);
    expect(["/a", "/a/b"].map((path) => kernel.read(`${ROOT}/cpuset${path}/cpuset.cpus`))).toEqual(["1", "1"]);
  });
});
