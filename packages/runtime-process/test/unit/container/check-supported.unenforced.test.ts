import type { ContainerConfig } from "@hooklet/core/host";
import { expect, test } from "@jest/globals";
import { securityContext } from "../../../../testkit/src/runtime-suite/configs.js";
import { unenforced } from "../../../src/container/check-supported.js";

const RUNTIME_DEFAULT = { profileType: "RuntimeDefault", localhostRef: "" } as const;
const linux = (
  security: Partial<ContainerConfig["linux"]["securityContext"]>,
  resources: ContainerConfig["linux"]["resources"] = {},
) => ({ linux: { resources, securityContext: { ...securityContext, ...security } } });

test.each([
  ["nothing is asked for", linux({}), true, []],
  ["a filter of system calls", linux({ seccomp: RUNTIME_DEFAULT }), true, ["seccompProfile"]],
  ["an AppArmor profile", linux({ apparmor: RUNTIME_DEFAULT }), true, ["appArmorProfile"]],
  ["no limits without cgroups", linux({}), false, []],
  ["limits of nothing without cgroups", linux({}, { memoryLimitInBytes: 0, cpuQuota: 0 }), false, []],
  ["a quota of cpu without cgroups", linux({}, { cpuQuota: 1 }), false, ["limits"]],
  ["limits without cgroups", linux({}, { memoryLimitInBytes: 1 }), false, ["limits"]],
  ["limits with cgroups", linux({}, { memoryLimitInBytes: 1 }), true, []],
] as const)("what is not enforced is said: %s", (_name, config, hasCgroups, words) => {
  expect(unenforced(config, hasCgroups).map((text) => text.split(" ")[0])).toEqual(words);
});
