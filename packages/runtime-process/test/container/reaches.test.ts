import type { Image } from "@hooklet/core";
import { expect, test } from "@jest/globals";
import { reachesNodeFiles } from "../../src/container/reaches.js";

const IMAGE: Image = { id: "sha256:0", repoTags: [], repoDigests: [], size: 1, pinned: false };
const HOST: Image = { ...IMAGE, id: "host" };
const root = { mode: "root", processesApart: true } as const;
const other = { image: "x", runAsUser: 7, noNewPrivs: true, ownProcesses: true };

test.each([
  ["another user who cannot become root", other, root, IMAGE, undefined],
  ["the image's own other user", { ...other, runAsUser: undefined }, root, { ...IMAGE, uid: 7 }, undefined],
  ["an image that is not there", { ...other, runAsUser: 0 }, root, undefined, undefined],
  ["image host, whoever runs there", other, root, HOST, "image host"],
  ["root", { ...other, runAsUser: 0 }, root, IMAGE, "user 0"],
  [
    "the root of the pod, whatever the image's user is",
    { ...other, runAsUser: 0 },
    root,
    { ...IMAGE, uid: 7 },
    "user 0",
  ],
  ["an image's root", { ...other, runAsUser: undefined }, root, { ...IMAGE, uid: 0 }, "user 0"],
  ["an image that names nobody", { ...other, runAsUser: undefined }, root, IMAGE, "user 0"],
  ["an image's user by name", { ...other, runAsUser: undefined }, root, { ...IMAGE, username: "app" }, 'user "app"'],
  ["a number in place of the image's name", other, root, { ...IMAGE, username: "app" }, undefined],
  ["who may become root", { ...other, noNewPrivs: false }, root, IMAGE, "programs that become root"],
  ["a user namespace", other, { ...root, mode: "user" }, IMAGE, "user 0"],
  ["no namespaces", other, { ...root, mode: "none" }, IMAGE, "any image"],
  [
    "a pod that shares its processes",
    { ...other, ownProcesses: false },
    root,
    IMAGE,
    "shareProcessNamespace or hostPID",
  ],
  ["processes that can be seen", other, { ...root, processesApart: false }, IMAGE, "the machine's processes"],
] as const)("what lets a container come to the machine's files: %s", (_name, asked, isolation, image, what) => {
  const found = reachesNodeFiles(asked, isolation, image);
  expect(found?.slice(0, what?.length)).toBe(what);
});
