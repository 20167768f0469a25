import { expect, test } from "@jest/globals";
import { removeMissingExtendedResources } from "../../../src/admission/admit.js";
import { aContainer, aPod, asking } from "./pods.js";

const GPU = "vendor.example/gpu";

test("requests go from containers and init containers, limits stay", () => {
  const limits = { [GPU]: "1" };
  const pod = aPod({
    containers: [aContainer({ cpu: "1", [GPU]: "1" }, { limits })],
    initContainers: [aContainer({ [GPU]: "1" }, { limits })],
  });
  const { containers, initContainers } = removeMissingExtendedResources(pod, {}).spec;
  expect(containers[0]?.resources).toEqual({ requests: { cpu: "1" }, limits });
  expect(initContainers?.[0]?.resources).toEqual({ requests: {}, limits });
  expect(pod.spec.containers[0]?.resources?.requests).toEqual({ cpu: "1", [GPU]: "1" });
});

test("a pod that has nothing to drop comes back as it is", () => {
  const pod = asking({ cpu: "1", "hugepages-2Mi": "2Mi", "kubernetes.io/thing": "1", [GPU]: "1" });
  expect(removeMissingExtendedResources(pod, { [GPU]: 0 })).toBe(pod);
});

test("containers that lose nothing stay as they are, also those without requests", () => {
  const [bare, fine] = [{ name: "bare", image: "host" }, aContainer({ cpu: "1" })];
  const pod = aPod({ containers: [bare, fine, aContainer({ [GPU]: "1" })] });
  const { containers, ...rest } = removeMissingExtendedResources(pod, {}).spec;
  expect(containers[0]).toBe(bare);
  expect(containers[1]).toBe(fine);
  expect(rest).not.toHaveProperty("initContainers");
});
