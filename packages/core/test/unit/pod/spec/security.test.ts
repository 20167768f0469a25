import { readFileSync } from "node:fs";
import type { Container, Pod } from "@hooklet/manifest";
import { describe, expect, test } from "@jest/globals";
import { containerSecurity, podNamespaces, profile, supplementalGroups } from "../../../../src/pod/spec/security.js";
import { aContainer, aPod } from "../../../pod/pods.js";

const secured = (own: Container["securityContext"] = {}, spec: Partial<Pod["spec"]> = {}, target?: string) =>
  containerSecurity(
    aPod(spec),
    aContainer("main", { securityContext: own } as never),
    target === undefined ? {} : { target },
  );

/** What a real kubelet asked a real containerd for. */
const golden = new URL("../../../../../runtime-cri/test/golden/cri-objects.json", import.meta.url);
const [first] = JSON.parse(readFileSync(golden, "utf8")).containers;
const { masked_paths, readonly_paths } = first.config.linux.security_context;
const recorded = { maskedPaths: masked_paths, readonlyPaths: readonly_paths };

describe("namespaces", () => {
  test.each<{ name: string; spec: Partial<Pod["spec"]>; namespaces: object }>([
    { name: "of its own", spec: {}, namespaces: { network: "POD", pid: "CONTAINER", ipc: "POD" } },
    { name: "the host's network", spec: { hostNetwork: true }, namespaces: { network: "NODE" } },
    { name: "the host's processes", spec: { hostPID: true, shareProcessNamespace: true }, namespaces: { pid: "NODE" } },
    { name: "processes shared in the pod", spec: { shareProcessNamespace: true }, namespaces: { pid: "POD" } },
    { name: "the host's IPC", spec: { hostIPC: true }, namespaces: { ipc: "NODE" } },
  ])("$name", ({ spec, namespaces }) => expect(podNamespaces(aPod(spec))).toMatchObject(namespaces));

  test("an ephemeral container sees the processes of the one it is for", () => {
    expect(secured({}, {}, "c1").namespaces).toEqual({ network: "POD", pid: "TARGET", ipc: "POD", targetId: "c1" });
    expect(secured().namespaces).not.toHaveProperty("targetId");
  });
});

test("fsGroup counts as a supplemental group; each group once", () => {
  const groups = (securityContext?: Pod["spec"]["securityContext"]) =>
    supplementalGroups(aPod(securityContext === undefined ? {} : { securityContext }));
  expect(groups()).toEqual([]);
  expect(groups({ fsGroup: 0 })).toEqual([0]);
  expect(groups({ fsGroup: 5, supplementalGroups: [7, 5] })).toEqual([5, 7]);
});

describe("what a container may", () => {
  test("by default: no privilege, the paths masked that a kubelet masks, no filter", () => {
    const { maskedPaths, readonlyPaths, ...rest } = secured();
    expect(rest).toEqual({
      capabilities: { add: [], drop: [] },
      privileged: false,
      namespaces: { network: "POD", pid: "CONTAINER", ipc: "POD" },
      supplementalGroups: [],
      readonlyRootfs: false,
      noNewPrivs: false,
      seccomp: { profileType: "Unconfined", localhostRef: "" },
    });
    expect(containerSecurity(aPod(), aContainer("main"))).toEqual(secured());
    expect({ maskedPaths, readonlyPaths }).toEqual(recorded);
  });

  test("what it asks for is handed on", () => {
    const capabilities = { add: ["NET_ADMIN"], drop: ["ALL"] };
    const asked = { capabilities, readOnlyRootFilesystem: true, allowPrivilegeEscalation: false };
    expect(secured(asked)).toMatchObject({ capabilities, readonlyRootfs: true, noNewPrivs: true });
    expect(secured({ allowPrivilegeEscalation: true }).noNewPrivs).toBe(false);
  });

  test("its user and group go before the pod's", () => {
    const securityContext = { runAsUser: 1, runAsGroup: 2 };
    expect(secured({}, { securityContext })).toMatchObject(securityContext);
    expect(secured({ runAsUser: 0, runAsGroup: 0 }, { securityContext })).toMatchObject({
      runAsUser: 0,
      runAsGroup: 0,
    });
    expect(secured()).not.toHaveProperty("runAsUser");
    expect(secured()).not.toHaveProperty("runAsGroup");
  });

  test("that it must not be root is handed on, its own word before the pod's", () => {
    const securityContext = { runAsNonRoot: true };
    expect(secured({}, { securityContext }).runAsNonRoot).toBe(true);
    expect(secured({ runAsNonRoot: false }, { securityContext })).not.toHaveProperty("runAsNonRoot");
    expect(secured()).not.toHaveProperty("runAsNonRoot");
  });

  test("privileged, nothing is masked or filtered; unmasked, nothing is masked", () => {
    const filter = { type: "RuntimeDefault" };
    const privileged = secured({ privileged: true, seccompProfile: filter });
    expect(privileged).toMatchObject({ privileged: true, maskedPaths: [], readonlyPaths: [] });
    expect(privileged.seccomp.profileType).toBe("Unconfined");
    const unmasked = secured({ procMount: "Unmasked", seccompProfile: filter });
    expect(unmasked).toMatchObject({ privileged: false, maskedPaths: [], readonlyPaths: [] });
    expect(unmasked.seccomp.profileType).toBe("RuntimeDefault");
    expect(secured({ procMount: "Default" }).maskedPaths).not.toEqual([]);
  });

  test("its profiles go before the pod's; none is Unconfined", () => {
    const ofPod = { type: "RuntimeDefault" };
    const own = { type: "Localhost", localhostProfile: "p.json" };
    const both = { seccompProfile: ofPod, appArmorProfile: ofPod } as never;
    expect(secured({}, { securityContext: both })).toMatchObject({
      seccomp: { profileType: "RuntimeDefault", localhostRef: "" },
      apparmor: { profileType: "RuntimeDefault", localhostRef: "" },
    });
    expect(secured({ seccompProfile: own, appArmorProfile: own } as never, { securityContext: both })).toMatchObject({
      seccomp: { profileType: "Localhost", localhostRef: "p.json" },
      apparmor: { profileType: "Localhost", localhostRef: "p.json" },
    });
    expect(secured()).not.toHaveProperty("apparmor");
    expect(profile(undefined)).toEqual({ profileType: "Unconfined", localhostRef: "" });
  });
});
