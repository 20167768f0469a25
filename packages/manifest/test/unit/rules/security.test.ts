import { expect, test } from "@jest/globals";
import { aContainer, aPod, messagesOf } from "../../pods.js";

const P = "spec.securityContext";
const ID = "must be between 0 and 2147483647, inclusive";

test.each<[string, object, string[]]>([
  ["ids reach from 0", { runAsUser: 0, runAsGroup: 0, fsGroup: 0, supplementalGroups: [0] }, []],
  [
    "ids reach to 2147483647",
    { runAsUser: 2147483647, runAsGroup: 2147483647, fsGroup: 2147483647, supplementalGroups: [2147483647] },
    [],
  ],
  [
    "no id is below zero",
    { runAsGroup: -1, fsGroup: -1, supplementalGroups: [0, -1] },
    [
      `${P}.runAsGroup: Invalid value: -1: ${ID}`,
      `${P}.fsGroup: Invalid value: -1: ${ID}`,
      `${P}.supplementalGroups[1]: Invalid value: -1: ${ID}`,
    ],
  ],
  ["the group of files changes always", { fsGroupChangePolicy: "Always" }, []],
  ["or where the root has another one", { fsGroupChangePolicy: "OnRootMismatch" }, []],
  [
    "and at no other time",
    { fsGroupChangePolicy: "Never" },
    [`${P}.fsGroupChangePolicy: Unsupported value: "Never": supported values: "Always", "OnRootMismatch"`],
  ],
  ["a profile may be the runtime's", { seccompProfile: { type: "RuntimeDefault" } }, []],
  ["or none", { appArmorProfile: { type: "Unconfined" } }, []],
  ["or a file", { seccompProfile: { type: "Localhost", localhostProfile: "a/b.json" } }, []],
  [
    "a profile is of no other type",
    { appArmorProfile: { type: "Other" } },
    [
      `${P}.appArmorProfile.type: Unsupported value: "Other": supported values: "Localhost", "RuntimeDefault", "Unconfined"`,
    ],
  ],
  ["a profile has a type", { seccompProfile: {} }, [`${P}.seccompProfile.type: Required value`]],
  [
    "a file goes with Localhost alone",
    {
      seccompProfile: { type: "RuntimeDefault", localhostProfile: "a" },
      appArmorProfile: { type: "Unconfined", localhostProfile: "a" },
    },
    [
      `${P}.seccompProfile.localhostProfile: Invalid value: "a": can only be set when seccomp type is Localhost`,
      `${P}.appArmorProfile.localhostProfile: Invalid value: "a": can only be set when AppArmor type is Localhost`,
    ],
  ],
  [
    "Localhost needs a file",
    { seccompProfile: { type: "Localhost" }, appArmorProfile: { type: "Localhost", localhostProfile: "" } },
    [
      `${P}.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost`,
      `${P}.appArmorProfile.localhostProfile: Required value: must be set when AppArmor type is Localhost`,
    ],
  ],
  [
    "the file lies in the node's folder",
    { seccompProfile: { type: "Localhost", localhostProfile: "/a" } },
    [`${P}.seccompProfile.localhostProfile: Invalid value: "/a": must be a relative path`],
  ],
])("the pod's security context: %s", async (_rule, securityContext, expected) => {
  expect(await messagesOf(aPod({ securityContext }))).toEqual(expected);
});

const S = `${P}.sysctls`;
const SYSCTL = "must have at most 253 characters and be a sysctl, for example net.core.somaxconn";

test.each<[string, string[], object, string[]]>([
  ["dots or slashes divide a name", ["net.ipv4.tcp_syncookies", "net/ipv4/ip_local_port_range"], {}, []],
  [
    "a name has letters below and figures",
    ["A", ".a", "a.", "a b"],
    {},
    [0, 1, 2, 3].map((i) => `${S}[${i}].name: Invalid value: ${['"A"', '".a"', '"a."', '"a b"'][i]}: ${SYSCTL}`),
  ],
  ["a name may have 253 letters", ["a".repeat(253)], {}, []],
  ["and no more", ["a".repeat(254)], {}, [`${S}[0].name: Invalid value: "${"a".repeat(199)}...: ${SYSCTL}`]],
  ["a name is needed", [""], {}, [`${S}[0].name: Required value`]],
  ["each stands once", ["a", "a"], {}, [`${S}[1].name: Duplicate value: "a"`]],
  [
    "the network's are the node's on the host network",
    ["net/core/somaxconn", "kernel.shmmax", "network.a"],
    { hostNetwork: true },
    [`${S}[0].name: Invalid value: "net/core/somaxconn": may not be specified when 'hostNetwork' is true`],
  ],
  [
    "those of shared memory and messages are the node's with hostIPC",
    [
      "kernel.shmmax",
      "kernel.msgmax",
      "kernel/sem",
      "fs.mqueue.msg_max",
      "net.core.somaxconn",
      "kernel.pid_max",
      "fs.mqueues",
    ],
    { hostIPC: true },
    ["kernel.shmmax", "kernel.msgmax", "kernel/sem", "fs.mqueue.msg_max"].map(
      (name, i) => `${S}[${i}].name: Invalid value: "${name}": may not be specified when 'hostIPC' is true`,
    ),
  ],
])("sysctls: %s", async (_rule, names, spec, expected) => {
  const sysctls = names.map((name) => ({ name, value: "1" }));
  expect(await messagesOf(aPod({ ...spec, securityContext: { sysctls } }))).toEqual(expected);
});

test.each<[string, object]>([
  ["hostPID without sharing", { hostPID: true }],
  ["sharing without hostPID", { shareProcessNamespace: true }],
])("processes: %s is in order", async (_rule, spec) => {
  expect(await messagesOf(aPod(spec))).toEqual([]);
});

const C = "spec.containers[0].securityContext";

test.each<[string, object, string[]]>([
  [
    "capabilities may have the kernel's prefix or not",
    { capabilities: { add: ["CAP_NET_ADMIN", "KILL"], drop: ["ALL"] } },
    [],
  ],
  [
    "dropped capabilities have names as well",
    { capabilities: { drop: ["KILL", "kill", "xALL", "ALL "] } },
    [1, 2, 3].map(
      (i) =>
        `${C}.capabilities.drop[${i}]: Invalid value: "${["", "kill", "xALL", "ALL "][i]}": must be a capability, for example NET_ADMIN`,
    ),
  ],
  ["a container may do without escalation", { allowPrivilegeEscalation: false, capabilities: { add: ["KILL"] } }, []],
  ["a privileged one may escalate", { allowPrivilegeEscalation: true, privileged: true }, []],
  ["a privileged one need not say so", { privileged: true, capabilities: { add: ["SYS_ADMIN"] } }, []],
  [
    "CAP_SYS_ADMIN is an escalation",
    { allowPrivilegeEscalation: false, capabilities: { add: ["KILL", "CAP_SYS_ADMIN"] } },
    [
      `${C}.allowPrivilegeEscalation: Invalid value: false: cannot set \`allowPrivilegeEscalation\` to false and \`capabilities.Add\` CAP_SYS_ADMIN`,
    ],
  ],
  [
    "ids and profiles keep the pod's rules",
    { runAsUser: -1, seccompProfile: { type: "Localhost" } },
    [
      `${C}.runAsUser: Invalid value: -1: ${ID}`,
      `${C}.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost`,
    ],
  ],
])("a container's security context: %s", async (_rule, securityContext, expected) => {
  expect(await messagesOf(aContainer({ securityContext }))).toEqual(expected);
});
