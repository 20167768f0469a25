import { describe, expect, test } from "@jest/globals";
import { forbiddenSysctl } from "../../../src/admission/admit.js";
import { aPod } from "./pods.js";

const forbidden = (names: readonly string[], allowed: readonly string[] = [], spec: object = {}) =>
  forbiddenSysctl(aPod({ securityContext: { sysctls: names.map((name) => ({ name, value: "1" })) }, ...spec }), allowed)
    ?.message;

// The kubelet's own list (pkg/kubelet/sysctl/safe_sysctls.go), which needs no allowance.
test.each([
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.ping_group_range",
  "net.ipv4.ip_unprivileged_port_start",
  "net.ipv4.ip_local_reserved_ports",
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes",
  "net.ipv4.tcp_rmem",
  "net.ipv4.tcp_wmem",
])("%s is safe", (name) => expect(forbidden([name])).toBeUndefined());

describe("a sysctl", () => {
  test.each<[string, string, readonly string[], string | undefined]>([
    ["that is not safe is forbidden", "kernel.msgmax", [], 'forbidden sysctl: "kernel.msgmax" not allowlisted'],
    ["that the node allows is not", "kernel.msgmax", ["kernel.msgmax"], undefined],
    ["that the node allows by its beginning is not", "kernel.msgmax", ["kernel.msg*"], undefined],
    ["of messages between processes may be allowed", "fs.mqueue.msg_max", ["fs.mqueue.*"], undefined],
    ["of semaphores may be allowed", "kernel.sem", ["kernel.sem"], undefined],
    ["of shared memory may be allowed", "kernel.shmmax", ["kernel.shm*"], undefined],
    ["of the network may be allowed", "net.core.somaxconn", ["net.*"], undefined],
    [
      "is not allowed by a name that only begins it",
      "kernel.msgmax",
      ["kernel.msg"],
      'forbidden sysctl: "kernel.msgmax" not allowlisted',
    ],
    [
      "is not allowed by another beginning",
      "kernel.msgmax",
      ["kernel.shm*"],
      'forbidden sysctl: "kernel.msgmax" not allowlisted',
    ],
    [
      "that no namespace keeps to the pod is forbidden even if allowed",
      "vm.swappiness",
      ["vm.*"],
      'forbidden sysctl: "vm.swappiness" not allowlisted',
    ],
    [
      "that only looks namespaced is forbidden",
      "my.kernel.shmmax",
      ["my.*"],
      'forbidden sysctl: "my.kernel.shmmax" not allowlisted',
    ],
    ["of a network's name alone is none", "network.x", ["network.*"], 'forbidden sysctl: "network.x" not allowlisted'],
    ["may be written with slashes", "kernel/msgmax", ["kernel.msgmax"], undefined],
    ["may be allowed with slashes", "kernel.msgmax", ["kernel/msg*"], undefined],
    ["with slashes is reported with dots", "kernel/msgmax", [], 'forbidden sysctl: "kernel.msgmax" not allowlisted'],
    [
      "with slashes may have dots in its names",
      "net/ipv4/conf/eth0.1/forwarding",
      ["net.ipv4.conf.eth0/1.forwarding"],
      undefined,
    ],
    [
      "with dots keeps its slashes",
      "net.ipv4.conf.eth0/1.forwarding",
      [],
      'forbidden sysctl: "net.ipv4.conf.eth0/1.forwarding" not allowlisted',
    ],
    ["without a name is forbidden", "", [], 'forbidden sysctl: "" not allowlisted'],
    ["without any separator is forbidden", "kernel", ["kernel"], 'forbidden sysctl: "kernel" not allowlisted'],
  ])("%s", (_, name, allowed, expected) => expect(forbidden([name], allowed)).toBe(expected));

  test.each<[string, string, object, string | undefined]>([
    [
      "of the network is not for pods on the host's",
      "net.ipv4.tcp_syncookies",
      { hostNetwork: true },
      '"net.ipv4.tcp_syncookies" not allowed with host net enabled',
    ],
    [
      "of IPC is not for pods with the host's",
      "kernel.shm_rmid_forced",
      { hostIPC: true },
      '"kernel.shm_rmid_forced" not allowed with host ipc enabled',
    ],
    ["of the network is for pods with the host's IPC", "net.ipv4.tcp_syncookies", { hostIPC: true }, undefined],
    ["of IPC is for pods on the host's network", "kernel.shm_rmid_forced", { hostNetwork: true }, undefined],
  ])("%s", (_, name, spec, expected) => {
    expect(forbidden([name], [], spec)).toBe(expected && `forbidden sysctl: ${expected}`);
  });

  test("the first forbidden one is reported, with the kubelet's reason", () => {
    expect(forbidden(["net.ipv4.tcp_rmem", "kernel.msgmax", "vm.swappiness"])).toMatch(/"kernel\.msgmax"/);
    const pod = aPod({ securityContext: { sysctls: [{ name: "a", value: "" }] } });
    expect(forbiddenSysctl(pod, [])?.reason).toBe("SysctlForbidden");
  });

  test("a pod without any asks for nothing", () => {
    expect(forbiddenSysctl(aPod(), [])).toBeUndefined();
    expect(forbiddenSysctl(aPod({ securityContext: {} }), [])).toBeUndefined();
  });
});
