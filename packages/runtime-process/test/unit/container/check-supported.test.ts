import { expect, test } from "@jest/globals";
import { reachesNodeFiles } from "../../../src/container/check-supported.js";

const IMAGE = { rootfs: "/i" };
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
