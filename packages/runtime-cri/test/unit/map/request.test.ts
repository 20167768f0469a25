/** What the CRI is asked for, field by field, where it is another than the port's. */
import type { ContainerConfig, SandboxConfig } from "@hooklet/core/host";
import { describe, expect, test } from "@jest/globals";
import { containerConfig, sandboxConfigOf, securityContext } from "../../../../testkit/src/runtime-suite/configs.js";
import { containerRequest, resources, sandboxRequest } from "../../../src/map/request.js";

const sandbox = sandboxConfigOf({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "shop", uid: "u" },
  spec: { containers: [] },
} as never);
type SandboxContext = SandboxConfig["linux"]["securityContext"];
type Request = { readonly linux: { readonly securityContext: object } };

describe("a sandbox", () => {
  const asked = (linux: Partial<SandboxConfig["linux"]>, rest: Partial<SandboxConfig> = {}) =>
    sandboxRequest({ ...sandbox, ...rest, linux: { ...sandbox.linux, ...linux } }) as Request;
  const contextOf = (changes: Partial<SandboxContext>) =>
    asked({ securityContext: { ...sandbox.linux.securityContext, ...changes } }).linux.securityContext;

  test("has all fields of its pod", () => {
    const linux = { cgroupParent: "/kubepods/u", sysctls: { "net.a": "1" } };
    expect(asked(linux, { hostname: "web", portMappings: [] })).toEqual({
      metadata: { name: "web", namespace: "shop", uid: "u", attempt: 0 },
      hostname: "web",
      logDirectory: "/var/log/pods/shop_web_u",
      labels: sandbox.labels,
      annotations: {},
      portMappings: [],
      linux: {
        ...linux,
        overhead: {},
        resources: {},
        securityContext: {
          namespaceOptions: { network: "NODE", pid: "CONTAINER", ipc: "POD", usernsOptions: { mode: "NODE" } },
          readonlyRootfs: false,
          supplementalGroups: [],
          privileged: false,
          seccomp: { profileType: "Unconfined", localhostRef: "" },
        },
      },
    });
  });

  test("has no DNS unless it is given one: the runtime then uses the node's", () => {
    const dns = { servers: ["10.0.0.10"], searches: ["svc"], options: ["ndots:5"] };
    expect(asked({})).not.toHaveProperty("dnsConfig");
    expect(asked({}, { dns })).toMatchObject({ dnsConfig: dns });
  });

  test("has the sum of its containers' resources, and its own", () => {
    const linux = { resources: { cpuShares: 512 }, overhead: { memoryLimitInBytes: 9 } };
    expect(asked(linux)).toMatchObject({ linux });
  });

  test("runs as the user and group 0 only where the pod sets them: 0 is not unset", () => {
    expect(contextOf({ runAsUser: 0, runAsGroup: 0 })).toMatchObject({
      runAsUser: { value: 0 },
      runAsGroup: { value: 0 },
    });
    expect(contextOf({ runAsUser: 7 })).not.toHaveProperty("runAsGroup");
    expect(contextOf({ runAsGroup: 7 })).not.toHaveProperty("runAsUser");
  });
});

describe("a container", () => {
  const program = { image: "docker.io/web:1", command: ["web"] };
  const given = (changes: Partial<ContainerConfig> = {}) =>
    containerConfig(program as never, "sha256:a", sandbox, changes);
  const asked = (changes: Partial<ContainerConfig> = {}) => containerRequest(given(changes)) as Request;
  const contextOf = (
    changes: Partial<ContainerConfig["linux"]["securityContext"]>,
    image: Partial<ContainerConfig["image"]> = {},
  ) =>
    asked({
      image: { image: "sha256:a", userSpecifiedImage: "web:1", ...image },
      linux: { resources: {}, securityContext: { ...securityContext, ...changes } },
    }).linux.securityContext;

  test("has all fields of its pod", () => {
    const envs = [{ key: "A", value: "1" }];
    expect(asked({ envs, linux: { resources: { cpuShares: 2 }, securityContext } })).toEqual({
      metadata: { name: "main", attempt: 0 },
      image: { image: "sha256:a", userSpecifiedImage: "docker.io/web:1" },
      command: ["web"],
      args: [],
      workingDir: "",
      envs,
      mounts: [],
      devices: [],
      CDIDevices: [],
      labels: given().labels,
      annotations: given().annotations,
      logPath: "main/0.log",
      stdin: false,
      stdinOnce: false,
      tty: false,
      linux: {
        resources: { cpuShares: 2 },
        securityContext: {
          privileged: false,
          namespaceOptions: { network: "NODE", pid: "CONTAINER", ipc: "POD", usernsOptions: { mode: "NODE" } },
          runAsUser: { value: 0 },
          readonlyRootfs: false,
          supplementalGroups: [],
          noNewPrivs: false,
          maskedPaths: [],
          readonlyPaths: [],
          seccomp: { profileType: "Unconfined", localhostRef: "" },
        },
      },
    });
  });

  test("does not send the image's user to the runtime: it is sent as the user that it runs as", () => {
    expect(asked({ image: { image: "sha256:a", userSpecifiedImage: "web:1", uid: 9, username: "u" } })).toMatchObject({
      image: { image: "sha256:a", userSpecifiedImage: "web:1" },
    });
    expect(Object.keys((asked() as unknown as { image: object }).image)).toEqual(["image", "userSpecifiedImage"]);
  });

  test.each([
    { name: "the pod's user", pod: { runAsUser: 7 }, image: { uid: 9 }, user: { runAsUser: { value: 7 } } },
    { name: "the pod's root", pod: { runAsUser: 0 }, image: { uid: 9 }, user: { runAsUser: { value: 0 } } },
    {
      name: "the pod's user before the name of one",
      pod: { runAsUser: 7, runAsUsername: "web" },
      image: {},
      user: { runAsUser: { value: 7 } },
    },
    {
      name: "the name of one before the image's",
      pod: { runAsUsername: "web" },
      image: { uid: 9, username: "db" },
      user: { runAsUsername: "web" },
    },
    { name: "the image's user", pod: {}, image: { uid: 9 }, user: { runAsUser: { value: 9 } } },
    { name: "the name of the image's user", pod: {}, image: { username: "db" }, user: { runAsUsername: "db" } },
    {
      name: "the image's number before its name",
      pod: {},
      image: { uid: 9, username: "db" },
      user: { runAsUser: { value: 9 } },
    },
    { name: "root by default", pod: {}, image: {}, user: { runAsUser: { value: 0 } } },
  ])("runs as $name", ({ pod, image, user }) => {
    const { runAsUser, runAsUsername } = contextOf(pod, image) as Record<string, unknown>;
    expect(JSON.parse(JSON.stringify({ runAsUser, runAsUsername }))).toEqual(user);
  });

  test("has a group only where the pod sets one", () => {
    expect(contextOf({ runAsGroup: 0 })).toMatchObject({ runAsGroup: { value: 0 } });
    expect(contextOf({})).not.toHaveProperty("runAsGroup");
  });

  test.each([
    { name: "none", given: { add: [], drop: [] }, has: undefined },
    { name: "one added", given: { add: ["KILL"], drop: [] }, has: { addCapabilities: ["KILL"], dropCapabilities: [] } },
    {
      name: "one added, one dropped",
      given: { add: ["KILL"], drop: ["CHOWN"] },
      has: { addCapabilities: ["KILL"], dropCapabilities: ["CHOWN"] },
    },
    { name: "all dropped", given: { add: [], drop: ["ALL"] }, has: { addCapabilities: [], dropCapabilities: ["ALL"] } },
  ])("names its capabilities where there are some: $name", ({ given, has }) => {
    expect((contextOf({ capabilities: given }) as { capabilities?: object }).capabilities).toEqual(has);
  });

  test.each([
    { profileType: "RuntimeDefault", localhostRef: "", old: "runtime/default" },
    { profileType: "Unconfined", localhostRef: "", old: "unconfined" },
    { profileType: "Localhost", localhostRef: "web", old: "localhost/web" },
  ] as const)("has the AppArmor profile $profileType in the new field and the old", ({ old, ...apparmor }) => {
    expect(contextOf({ apparmor })).toMatchObject({ apparmor, apparmorProfile: old });
  });

  test("without an AppArmor profile names none", () => {
    expect(contextOf({})).not.toHaveProperty("apparmor");
    expect(contextOf({})).not.toHaveProperty("apparmorProfile");
  });

  test("has how mounts propagate, and CDI devices, in the CRI's words", () => {
    const mount = { containerPath: "/d", hostPath: "/srv", readonly: true, selinuxRelabel: false };
    const mounts = [{ ...mount, propagation: "HOST_TO_CONTAINER" as const }];
    const found = asked({ mounts, cdiDevices: ["vendor.example/gpu=0"] });
    expect(found).toMatchObject({
      mounts: [{ ...mount, propagation: "PROPAGATION_HOST_TO_CONTAINER" }],
      CDIDevices: [{ name: "vendor.example/gpu=0" }],
    });
    expect(found).not.toHaveProperty("cdiDevices");
  });
});

test("an update of resources holds what it is given", () => {
  expect(resources({ cpuShares: 2, unified: { "memory.high": "1" } })).toEqual({
    cpuShares: 2,
    unified: { "memory.high": "1" },
  });
});
