import type { Pod } from "@hooklet/manifest";
import { describe, expect, test } from "@jest/globals";
import { removeMissingExtendedResources } from "../../src/admission/extended-resources.js";
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

test("a resource claim stands in for the request only with the gate on, and never for cpu", () => {
  const requestMappings = [GPU, "cpu"].map((resourceName) => ({ resourceName, containerName: "c" }));
  const status = { extendedResourceClaimStatus: { requestMappings } } as Pod["status"];
  const pod = { ...asking({ cpu: "1", [GPU]: "1" }), status } as Pod;
  expect(removeMissingExtendedResources(pod, { [GPU]: 0 })).toBe(pod);
  const claimed = removeMissingExtendedResources(pod, { [GPU]: 0 }, { draExtendedResource: true });
  expect(claimed.spec.containers[0]?.resources?.requests).toEqual({ cpu: "1" });
});

describe("a resource claim", () => {
  const claimed = (...requestMappings: { resourceName?: string; containerName?: string }[]) => {
    const pod = { ...asking({ [GPU]: "1" }), status: { extendedResourceClaimStatus: { requestMappings } } } as Pod;
    const { containers } = removeMissingExtendedResources(pod, { [GPU]: 0 }, { draExtendedResource: true }).spec;
    return Object.keys(containers[0]?.resources?.requests ?? {});
  };

  test.each([
    ["of this resource and container stands in for the request", { resourceName: GPU, containerName: "c" }, []],
    ["of another resource does not", { resourceName: "vendor.example/tpu", containerName: "c" }, [GPU]],
    ["of another container does not", { resourceName: GPU, containerName: "other" }, [GPU]],
    ["of no resource does not", { containerName: "c" }, [GPU]],
  ])("%s", (_, mapping, kept) => expect(claimed(mapping)).toEqual(kept));

  test("stands in for a device class's own resource as well", () => {
    const name = "deviceclass.resource.kubernetes.io/gpu";
    const requestMappings = [{ resourceName: name, containerName: "c" }];
    const pod = { ...asking({ [name]: "1" }), status: { extendedResourceClaimStatus: { requestMappings } } } as Pod;
    const { containers } = removeMissingExtendedResources(pod, {}, { draExtendedResource: true }).spec;
    expect(containers[0]?.resources?.requests).toEqual({});
    expect(removeMissingExtendedResources(pod, {})).toBe(pod);
  });

  test.each([undefined, {}, { extendedResourceClaimStatus: {} }])("may be unknown: %j", (status) => {
    const pod = { ...asking({ [GPU]: "1" }), status } as Pod;
    expect(removeMissingExtendedResources(pod, { [GPU]: 0 }, { draExtendedResource: true })).toBe(pod);
  });
});

test("containers that lose nothing stay as they are, also those without requests", () => {
  const [bare, fine] = [{ name: "bare", image: "host" }, aContainer({ cpu: "1" })];
  const pod = aPod({ containers: [bare, fine, aContainer({ [GPU]: "1" })] });
  const { containers, ...rest } = removeMissingExtendedResources(pod, {}).spec;
  expect(containers[0]).toBe(bare);
  expect(containers[1]).toBe(fine);
  expect(rest).not.toHaveProperty("initContainers");
});
