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
  ["nothing is asked for", linux({}), []],
  ["a filter of system calls", linux({ seccomp: RUNTIME_DEFAULT }), ["seccompProfile"]],
  ["an AppArmor profile", linux({ apparmor: RUNTIME_DEFAULT }), ["appArmorProfile"]],
  ["limits, which are the node's matter", linux({}, { memoryLimitInBytes: 1, cpuQuota: 1 }), []],
] as const)("what is not enforced is said: %s", (_name, config, words) => {
  expect(unenforced(config).map((text) => text.split(" ")[0])).toEqual(words);
});
