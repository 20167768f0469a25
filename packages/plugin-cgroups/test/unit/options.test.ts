import { describe, expect, test } from "@jest/globals";
import { optionFaults } from "../../src/options.js";
import { defaults } from "./world.js";

describe("options that contradict each other", () => {
  test.each([
    { name: "the defaults do not", given: {}, path: undefined },
    {
      name: "none beside another key",
      given: { enforceNodeAllocatable: ["none", "pods"] },
      path: "enforceNodeAllocatable",
    },
    {
      name: "pods without cgroupsPerQOS",
      given: { cgroupsPerQOS: false },
      path: "enforceNodeAllocatable",
    },
    {
      name: "a reservation without its cgroup",
      given: { enforceNodeAllocatable: ["system-reserved"] },
      path: "systemReservedCgroup",
    },
    {
      name: "both forms of one reservation",
      given: {
        enforceNodeAllocatable: ["kube-reserved", "kube-reserved-compressible"],
        kubeReservedCgroup: "/agents",
      },
      path: "enforceNodeAllocatable",
    },
    { name: "a reserve of cpu", given: { qosReserved: { cpu: "50%" } }, path: "qosReserved" },
  ] as const)("$name", ({ given, path }) => {
    expect(optionFaults({ ...defaults, ...given }).map((fault) => fault.path[0])).toEqual(
      path === undefined ? [] : [path],
    );
  });
});
