import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ContainerSecurityContext } from "@hooklet/core/host";
import { afterAll, describe, expect, test } from "@jest/globals";
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

/** Who is not root resolves nobody but itself. */
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

  test.each(["nobody", "app:nobody", "4294967295"])("%s is refused: there is no such user or group", (user) => {
    expect(() => resolve({}, user)).toThrow(expect.objectContaining({ code: "invalid-argument" }));
  });
});
