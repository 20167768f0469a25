import { describe, expect, test } from "@jest/globals";
import { securityContext } from "../../../../testkit/src/runtime-suite/configs.js";
import { boundingSet, checkSupported, reachesNodeFiles } from "../../../src/container/check-supported.js";

const IMAGE = { rootfs: "/i" };
const HOST = { id: "host", record: {} };
const mount = (more: object = {}) => ({ containerPath: "/v", hostPath: "/h", propagation: "PRIVATE", ...more });

function check(changes: { security?: object; [field: string]: unknown }, mode = "root", image: object = HOST) {
  const { security, ...rest } = changes;
  const linux = { resources: {}, securityContext: { ...securityContext, ...security } };
  const config = { image: { image: "i", userSpecifiedImage: "web:1" }, annotations: {}, mounts: [], devices: [] };
  return checkSupported(
    { mode, why: "unshare: EPERM" } as never,
    { ...config, cdiDevices: [], tty: false, linux, ...rest } as never,
    image as never,
  );
}

const UNSUPPORTED = "; leave it out or use another runtime";
const NEEDS = " needs a mount namespace, which this machine refuses: unshare: EPERM";

test.each([
  ["a terminal", { tty: true }, "tty: containers have no terminal"],
  ["CDI devices", { cdiDevices: ["v/d=1"] }, "CDI devices (v/d=1)"],
  [
    "the processes of one other container",
    { security: { namespaces: { pid: "TARGET" } } },
    "a shared process namespace with one target container",
  ],
  [
    "a seccomp profile of a file",
    { security: { seccomp: { profileType: "Localhost", localhostRef: "p.json" } } },
    "seccompProfile of type Localhost (p.json)",
  ],
  [
    "an AppArmor profile of the node",
    { security: { apparmor: { profileType: "Localhost", localhostRef: "p" } } },
    "appArmorProfile of type Localhost (p)",
  ],
  [
    "mounts that go back to the machine",
    { mounts: [mount({ propagation: "BIDIRECTIONAL" })] },
    "mountPropagation Bidirectional (/v)",
  ],
])("%s is not supported", (_name, changes, what) => {
  expect(() => check(changes)).toThrow(
    expect.objectContaining({
      code: "unimplemented",
      message: `the process runtime does not support ${what}${UNSUPPORTED}`,
    }),
  );
});

test.each([
  [{ containerPath: "v" }, '"v"'],
  [{ hostPath: "h/../x" }, '"h/../x"'],
  [{ hostPath: "/h\0" }, '"/h\\u0000"'],
])("a mount of %j is refused: paths are absolute", (more, found) => {
  expect(() => check({ mounts: [mount(more)] })).toThrow(
    expect.objectContaining({
      code: "invalid-argument",
      message: `mounts: expected absolute paths, found ${found}`,
    }),
  );
});

test("with a mount namespace all mounts are made", () => {
  const mounts = [mount(), mount({ propagation: "HOST_TO_CONTAINER" })];
  expect(check({ mounts })).toBe(mounts);
});

test.each([
  ["an image", {}, IMAGE, "image web:1"],
  ["an image by id", { image: { image: "i", userSpecifiedImage: "" } }, { ...IMAGE, id: "sha256:1" }, "image sha256:1"],
  ["a root that is read-only", { security: { readonlyRootfs: true } }, HOST, "readOnlyRootFilesystem"],
  [
    "a device under another name",
    { devices: [{ containerPath: "/dev/a", hostPath: "/dev/b" }] },
    HOST,
    "device /dev/a",
  ],
  ["a volume", { mounts: [mount()] }, HOST, "the volume mount /v"],
])("without one, %s is refused", (_name, changes, image, what) => {
  expect(() => check(changes, "none", image)).toThrow(
    expect.objectContaining({ code: "failed-precondition", message: `${what}${NEEDS}` }),
  );
});

test("without one, a pod works without its hosts file and termination message", () => {
  const mounts = ["/etc/hosts", "/dev/termination-log"].map((containerPath) => mount({ containerPath }));
  const devices = [{ containerPath: "/dev/a", hostPath: "/dev/a" }];
  expect(check({ mounts, devices }, "none")).toEqual([]);
  const annotations = { "io.kubernetes.container.terminationMessagePath": "/tmp/end" };
  expect(check({ mounts: [mount({ containerPath: "/tmp/end" })], annotations }, "none")).toEqual([]);
  expect(() => check({ mounts, annotations }, "none")).toThrow("/dev/termination-log");
});

const root = { mode: "root", processesApart: true } as const;
const other = { noNewPrivs: true, ownProcesses: true };

test.each([
  ["another user without a way to root", other, root, IMAGE, 7, undefined],
  ["image host, as any user", other, root, {}, 7, "image host"],
  ["root", other, root, IMAGE, 0, "user 0"],
  ["with setuid programs", { ...other, noNewPrivs: false }, root, IMAGE, 7, "programs that become root"],
  ["a user namespace", other, { ...root, mode: "user" }, IMAGE, 7, "user 0"],
  ["no namespaces", other, { ...root, mode: "none" }, IMAGE, 7, "any image"],
  [
    "a pod that shares its processes",
    { ...other, ownProcesses: false },
    root,
    IMAGE,
    7,
    "shareProcessNamespace or hostPID",
  ],
  ["processes that can be seen", other, { ...root, processesApart: false }, IMAGE, 7, "the machine's processes"],
] as const)("what lets a container come to the machine's files: %s", (_name, asked, isolation, image, uid, what) => {
  const found = reachesNodeFiles(asked, isolation, image, uid);
  expect(found?.slice(0, what?.length)).toBe(what);
});

describe("the capabilities that a container may have at most", () => {
  const set = (add: readonly string[], drop: readonly string[], keep: readonly string[] = [], privileged = false) =>
    boundingSet({ ...securityContext, privileged, capabilities: { add, drop } }, keep)?.split(",");
  const USUAL =
    "audit_write chown dac_override fowner fsetid kill mknod net_bind_service net_raw setfcap setgid setpcap setuid sys_chroot"
      .split(" ")
      .map((name) => `+${name}`);

  test.each<{ name: string; found: readonly string[] | undefined; expected: readonly string[] | undefined }>([
    {
      name: "are the usual ones, as containerd and docker have them",
      found: set([], []),
      expected: ["-all", ...USUAL],
    },
    {
      name: "and those that the pod adds, each once",
      found: set(["CAP_SYS_TIME", "kill"], []),
      expected: ["-all", ...USUAL, "+sys_time"],
    },
    {
      name: "without those that it drops, even where it adds them",
      found: set(["NET_ADMIN"], ["NET_ADMIN", "CHOWN"]),
      expected: ["-all", ...USUAL.filter((one) => one !== "+chown")],
    },
    {
      name: "are none but the added ones where all are dropped",
      found: set(["KILL"], ["ALL"]),
      expected: ["-all", "+kill"],
    },
    { name: "are all where all are added", found: set(["ALL"], []), expected: undefined },
    {
      name: "but those that are dropped",
      found: set(["ALL", "KILL"], ["CHOWN", "MKNOD"]),
      expected: ["+all", "-chown", "-mknod"],
    },
    {
      name: "are the added ones by name where all are added and dropped",
      found: set(["ALL", "KILL"], ["ALL"]),
      expected: ["-all", "+kill"],
    },
    {
      name: "keep what the set-up needs, dropped or not",
      found: set([], ["ALL"], ["setuid"]),
      expected: ["-all", "+setuid"],
    },
    {
      name: "keep it where all others are there as well",
      found: set(["ALL"], ["SETUID", "KILL"], ["setuid"]),
      expected: ["+all", "-kill"],
    },
    { name: "are all of a privileged one", found: set([], ["ALL"], [], true), expected: undefined },
  ])("$name", ({ found, expected }) => {
    expect(found).toEqual(expected);
  });
});
