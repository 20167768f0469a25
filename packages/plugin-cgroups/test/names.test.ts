import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { cgroupName, cgroupPath, parseCgroupPath } from "../src/name/name.js";
import { nodeAllocatableRoot, podCgroupName, podUidOf, qosRoots } from "../src/name/tree.js";

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
