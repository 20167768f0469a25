import { describe, expect, test } from "@jest/globals";
import type { AllocatedResourceStatus } from "../../../src/plugin/contract.js";
import { allocatedResourcesStatus } from "../../../src/pod/status/container-status.js";
import { nextOverrides, noOverrides, type StatusOverrides } from "../../../src/pod/status-overrides.js";

const main = { name: "main", image: "app:1" };
const given = (name: string, id: string): AllocatedResourceStatus => ({
  name,
  resources: [{ resourceID: id, health: "Healthy" }],
});

function said(
  ...words: readonly (readonly [plugin: string, ...status: readonly AllocatedResourceStatus[]])[]
): StatusOverrides {
  return words.reduce(
    (before, [plugin, ...status]) =>
      nextOverrides(before, { type: "resourcesAllocated", container: "main", plugin, status }),
    noOverrides,
  );
}

describe("health of what plugins gave to a container", () => {
  const gpu = given("vendor.example/gpu", "gpu-0");
  const nic = given("vendor.example/nic", "nic-0");

  test("two plugins stand beside each other, in the order in which they spoke first", () => {
    const both = said(["devices", gpu], ["nics", nic], ["devices", given("vendor.example/gpu", "gpu-1")]);
    expect(allocatedResourcesStatus(main, both)).toEqual({
      allocatedResourcesStatus: [given("vendor.example/gpu", "gpu-1"), nic],
    });
  });

  test("an empty list removes what this plugin set, and nothing of another one", () => {
    expect(allocatedResourcesStatus(main, said(["devices", gpu], ["nics", nic], ["devices"]))).toEqual({
      allocatedResourcesStatus: [nic],
    });
    expect(allocatedResourcesStatus(main, said(["devices", gpu], ["devices"]))).toEqual({});
  });

  test("of two that speak of one resource the later one counts, in the earlier one's place", () => {
    const other = given("vendor.example/gpu", "gpu-9");
    expect(allocatedResourcesStatus(main, said(["devices", gpu, nic], ["others", other]))).toEqual({
      allocatedResourcesStatus: [other, nic],
    });
  });

  test("a repeated override changes nothing", () => {
    const before = said(["devices", gpu]);
    expect(
      nextOverrides(before, { type: "resourcesAllocated", container: "main", plugin: "devices", status: [gpu] }),
    ).toBe(before);
  });
});
