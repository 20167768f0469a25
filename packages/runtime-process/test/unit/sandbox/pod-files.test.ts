/** The files that the containers of a pod share. */
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import type { SandboxConfig } from "@hooklet/core/host";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { sandboxConfig } from "../../../../testkit/src/runtime-suite/configs.js";
import { layoutOf } from "../../../src/layout.js";
import { hostnameOf, makePodFiles, mendPodFiles, podPaths } from "../../../src/sandbox/pod-files.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hooklet-pod-"));
  mkdirSync(layoutOf(folder).sandboxes, { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

const config = (changes: Partial<SandboxConfig> = {}): SandboxConfig => ({ ...sandboxConfig(folder, 0), ...changes });
const paths = () => podPaths(layoutOf(folder), "pod");
const none = { servers: [], searches: [], options: [] };

test("a pod's folder is its agent's alone; its files are for all users of its containers", () => {
  const { folder: own, resolvConf, hostname: name, shm } = paths();
  makePodFiles(paths(), config({ hostname: "web-0" }));
  const modes = [own, resolvConf, name, shm].map((path) => lstatSync(path).mode & 0o7777);
  expect(modes).toEqual([0o700, 0o644, 0o644, 0o1777]);
  expect(readFileSync(name, "utf8")).toBe("web-0\n");
});

test("a pod without its own hostname has the machine's", () => {
  expect(hostnameOf(config({ hostname: "web-0" }))).toBe("web-0");
  expect(hostnameOf(config({ hostname: "" }))).toBe(hostname());
});

test.each([
  [
    { searches: ["a.example", "b.example"], servers: ["192.0.2.1", "192.0.2.2"], options: ["ndots:5", "edns0"] },
    "search a.example b.example\nnameserver 192.0.2.1\nnameserver 192.0.2.2\noptions ndots:5 edns0\n",
  ],
  [{ ...none, servers: ["192.0.2.1"] }, "nameserver 192.0.2.1\n"],
  [none, ""],
])("resolv.conf of %j", (dns, text) => {
  makePodFiles(paths(), config({ dns }));
  expect(readFileSync(paths().resolvConf, "utf8")).toBe(text);
});

test("without settings of its own a pod has the machine's resolv.conf", () => {
  const { dns: _, ...without } = config();
  makePodFiles(paths(), without);
  expect(readFileSync(paths().resolvConf, "utf8")).toBe(readFileSync("/etc/resolv.conf", "utf8"));
});

test("what is gone or replaced is made again and named; what is there stays", () => {
  const { resolvConf, hostname: name, shm } = paths();
  makePodFiles(paths(), config());
  writeFileSync(resolvConf, "of a container");
  expect(mendPodFiles(paths(), config())).toEqual([]);
  expect(readFileSync(resolvConf, "utf8")).toBe("of a container");
  rmSync(resolvConf);
  symlinkSync("/etc/passwd", resolvConf);
  rmSync(name);
  rmSync(shm, { recursive: true });
  writeFileSync(shm, "");
  expect(mendPodFiles(paths(), config())).toEqual([resolvConf, name, shm]);
  expect([lstatSync(resolvConf).isFile(), lstatSync(name).isFile(), lstatSync(shm).isDirectory()]).toEqual([
    true,
    true,
    true,
  ]);
});
