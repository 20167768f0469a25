import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ContainerSecurityContext } from "@hooklet/core/host";
import { afterAll, afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { securityContext } from "../../../../testkit/src/runtime-suite/configs.js";
import { resolveUser } from "../../../src/container/user.js";
import { RootView } from "../../../src/rootfs/view.js";
import { isRoot } from "../../harness.js";

const root = mkdtempSync(join(tmpdir(), "hooklet-user-"));
afterAll(() => rmSync(root, { recursive: true }));
mkdirSync(join(root, "etc"));
const PASSWD = ["root:x:0:0:root:/root:/bin/sh", "1000:x:0:0::/evil:/bin/sh", "app:x:1001:1002::/app:/bin/sh"];
writeFileSync(join(root, "etc/passwd"), [...PASSWD, "sly:x:0:0::/:/bin/sh", "odd:x:007:8::/odd:/bin/sh"].join("\n"));
const GROUPS = [
  "root:x:0:root",
  "1000:x:0:",
  "app:x:1002:app",
  "wheel:x:10:root,app",
  "evil:x:0:1000",
  "seven:x:7:odd",
];
writeFileSync(join(root, "etc/group"), GROUPS.join("\n"));

const resolve = (changes: Partial<ContainerSecurityContext>, imageUser = "") =>
  resolveUser({ ...securityContext, ...changes }, imageUser, new RootView([{ at: "/", upper: root }]), "root");

/** A user other than root resolves only itself. */
(isRoot ? describe : describe.skip)("a container's user, as containerd resolves it", () => {
  test.each([
    ["a number is a number, even if the image has such a name", { runAsUser: 1000 }, "", [1000, 0, [], "/"]],
    ["so is the image's", {}, "1000", [1000, 0, [], "/"]],
    ["so is the image's group", {}, "1000:1000", [1000, 1000, [], "/"]],
    ["a number with an entry has its group, home and groups", { runAsUser: 1001 }, "", [1001, 1002, [10], "/app"]],
    ["an entry's number may have leading zeros", { runAsUser: 7 }, "", [7, 8, [7], "/odd"]],
    ["a name is looked up", {}, "app", [1001, 1002, [10], "/app"]],
    ["a group by name is looked up", {}, "app:wheel", [1001, 10, [10], "/app"]],
    ["runAsGroup has the last word", { runAsUser: 1001, runAsGroup: 5 }, "", [1001, 5, [10], "/app"]],
    ["the pod's user goes without the image's group", { runAsUser: 1000 }, "app:wheel", [1000, 0, [], "/"]],
    ["the pod's groups come first", { runAsUser: 1001, supplementalGroups: [3] }, "", [1001, 1002, [3, 10], "/app"]],
    ["no user is root", {}, "", [0, 0, [10], "/root"]],
  ] as const)("%s", (_name, changes, imageUser, [uid, gid, groups, home]) => {
    expect(resolve(changes, imageUser)).toEqual({ user: { uid, gid, groups }, home });
  });

  test.each(["sly", "", "0", "00", "1000:0"])(
    "user %j of an image is refused where the pod wants no root and it is root",
    (user) => {
      const ask = () => resolve({ runAsNonRoot: true }, user);
      if (user === "1000:0") expect(ask().user).toEqual({ uid: 1000, gid: 0, groups: [] });
      else
        expect(ask).toThrow(
          expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining("is root") }),
        );
    },
  );

  test.each([
    ["nobody", "unable to find user nobody: no matching entries in /etc/passwd of the image"],
    ["app:nobody", "unable to find group nobody: no matching entries in /etc/group of the image"],
    ["4294967295", 'expected a user id from 0 to 4294967294, found "4294967295"'],
    ["1:4294967295", 'expected a group id from 0 to 4294967294, found "4294967295"'],
  ])("%s is refused: there is no such user or group", (user, message) => {
    expect(() => resolve({}, user)).toThrow(expect.objectContaining({ code: "invalid-argument", message }));
  });

  test("an image without passwd and group, or with one that is no file or past 1 MiB, has numbers alone", () => {
    const empty = mkdtempSync(join(tmpdir(), "hooklet-user-"));
    const own = (user: string) => resolveUser(securityContext, user, new RootView([{ at: "/", upper: empty }]), "root");
    expect(own("5:6")).toEqual({ user: { uid: 5, gid: 6, groups: [] }, home: "/" });
    mkdirSync(join(empty, "etc/passwd"), { recursive: true });
    expect(() => own("app")).toThrow("unable to find user app");
    rmSync(join(empty, "etc/passwd"), { recursive: true });
    writeFileSync(join(empty, "etc/passwd"), "app:x:5:6::/home:/bin/sh".padEnd(1024 * 1024, "\n"));
    expect(own("app")).toEqual({ user: { uid: 5, gid: 6, groups: [] }, home: "/home" });
    writeFileSync(join(empty, "etc/passwd"), "app:x:5:6::/home:/bin/sh".padEnd(1024 * 1024 + 1, "\n"));
    expect(() => own("app")).toThrow("unable to find user app");
    rmSync(empty, { recursive: true });
  });
});

describe("the user of a container of an agent that is an ordinary user", () => {
  const view = new RootView([{ at: "/", upper: root }]);
  const as = (mode: "user" | "none", asked: Partial<ContainerSecurityContext> = {}) =>
    resolveUser({ ...securityContext, ...asked }, "app:wheel", view, mode);
  beforeEach(() => {
    jest.spyOn(process, "getuid").mockReturnValue(1001);
    jest.spyOn(process, "getgid").mockReturnValue(1002);
  });
  afterEach(() => void jest.restoreAllMocks());

  test("is root in its user namespace, with root's home", () => {
    expect(as("user")).toEqual({ user: { uid: 0, gid: 0, groups: [] }, home: "/root" });
  });

  test("is the agent's own without namespaces, with its home in the image", () => {
    expect(as("none")).toEqual({ user: { uid: 1001, gid: 1002, groups: [] }, home: "/app" });
  });

  test.each([
    ["user", 0],
    ["user", 1001],
    ["none", 1001],
  ] as const)("mode %s: runAsUser %i is the agent itself", (mode, runAsUser) => {
    expect(as(mode, { runAsUser })).toEqual(as(mode));
  });

  test.each([
    ["user", 7],
    ["none", 0],
  ] as const)("mode %s: runAsUser %i is refused with what to do", (mode, runAsUser) => {
    expect(() => as(mode, { runAsUser })).toThrow(
      expect.objectContaining({
        code: "failed-precondition",
        message: `cannot run as user ${runAsUser}: the agent is the ordinary user 1001 and cannot become another; leave runAsUser out or run the agent as root`,
      }),
    );
  });
});
