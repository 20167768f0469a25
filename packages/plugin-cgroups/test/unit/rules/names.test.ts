import { expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  cgroupName,
  cgroupPath,
  nodeAllocatableRoot,
  parseCgroupPath,
  podCgroupName,
  podUidOf,
  qosRoots,
} from "../../../src/name/name.js";

const roots = qosRoots(nodeAllocatableRoot("/", true));

test.each(["cgroupfs", "systemd"] as const)("the uid of a pod is found again in its path: %s", (driver) => {
  fc.assert(
    fc.property(
      fc.uuid().filter((uid) => !uid.includes("pod")),
      fc.constantFrom("Guaranteed", "Burstable", "BestEffort"),
      (uid, quality) => {
        const path = cgroupPath(podCgroupName(uid, quality, roots), driver);
        return podUidOf(parseCgroupPath(path, driver), roots) === uid;
      },
    ),
  );
});

test.each(["a/b", "a_b", "../up"])("a component %s is refused: no path of a pod leaves its root", (component) => {
  expect(() => cgroupName([], component)).toThrow("invalid character in component");
});

test.each([
  { name: "a slice", path: "/kubepods.slice/kubepods-burstable.slice", found: ["kubepods", "burstable"] },
  { name: "slashes at its end", path: "/kubepods.slice//", found: ["kubepods"] },
  { name: "a part with _", path: "/kubepods.slice/kubepods-poda_b.slice", found: ["kubepods", "poda-b"] },
  { name: "no slice", path: "/system", found: ["system"] },
  { name: "the root", path: "/", found: [] },
])("systemd's path of a name is read back: $name", ({ path, found }) => {
  expect(parseCgroupPath(path, "systemd")).toEqual(found);
});

test.each([
  { name: "the root", path: "/", found: [] },
  { name: "an empty path", path: "", found: [] },
  { name: "a path without its first slash", path: "kubepods/burstable", found: ["kubepods", "burstable"] },
])("cgroupfs paths are read back: $name", ({ path, found }) => {
  expect(parseCgroupPath(path, "cgroupfs")).toEqual(found);
});

test.each([
  { name: "another depth", path: "/kubepods/burstable/x/podu" },
  { name: "no pod", path: "/kubepods/other" },
  { name: "a uid with pod in it", path: "/kubepods/podapodb" },
  { name: "the root", path: "/" },
])("a path is no pod's by $name", ({ path }) => {
  expect(podUidOf(parseCgroupPath(path, "cgroupfs"), roots)).toBeUndefined();
});

test("without cgroups by class pods lie in the root itself", () => {
  expect([nodeAllocatableRoot("/a", false), nodeAllocatableRoot("/a", true)]).toEqual([["a"], ["a", "kubepods"]]);
});
