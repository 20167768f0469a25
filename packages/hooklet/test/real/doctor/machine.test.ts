/** The facts of the machine that runs the tests. */
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, statfs, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { systemClock } from "@hooklet/utils";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { type Asked, type MachineFacts, machineFacts } from "../../../src/doctor/machine-facts.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hooklet-doctor-"));
});
afterEach(() => rm(folder, { recursive: true }));

interface Given {
  readonly rootDir?: string;
  readonly port?: number;
  readonly runtime?: object;
  readonly answers?: { readonly text: string; readonly socket: string };
  readonly evictionHard?: object;
}

function facts({ rootDir = folder, port = 0, runtime = {}, answers, evictionHard = {} }: Given = {}) {
  const config = {
    rootDir,
    socket: path.join(rootDir, "hooklet.sock"),
    port,
    runtime: { specifier: "process", options: {}, ...runtime },
    node: { evictionHard },
  } as unknown as Asked["config"];
  const agent = async () => answers;
  return machineFacts({ clock: systemClock, env: process.env, config, configFile: "/etc/rc.yaml", agent });
}

test("what is asked and configured comes back", async () => {
  const evictionHard = { "nodefs.available": "10%" };
  const answers = { text: "hooklet 1.2.3 on node worker", socket: path.join(folder, "hooklet.sock") };
  expect(await facts({ answers, evictionHard })).toMatchObject({
    isRoot: process.geteuid?.() === 0,
    node: process.versions.node,
    runtime: "process",
    criEndpoint: undefined,
    port: { number: 0, state: "off" },
    agent: { ...answers, isOther: false, hasPort: undefined },
    evictionHard,
    rootDirFault: undefined,
    configFault: undefined,
    configFile: "/etc/rc.yaml",
  });
});

test("programs that are here are not missing; versions are numbers", async () => {
  const { missingTools, utilLinux, skopeo, namespaces } = await facts();
  expect(missingTools).toEqual([]);
  expect(utilLinux).toMatch(/^\d+\.\d+/);
  expect(skopeo === undefined).toBe(!existsSync("/usr/bin/skopeo"));
  if (skopeo !== undefined) expect(skopeo).toMatch(/^\d+\.\d+/);
  if (process.geteuid?.() === 0) expect(namespaces).toBeUndefined();
});

test("cgroups: the machine's version, and nothing is missing of what it has", async () => {
  const { cgroups } = await facts();
  const isV2 = existsSync("/sys/fs/cgroup/cgroup.controllers");
  expect(cgroups.version).toBe(isV2 ? "v2" : existsSync("/sys/fs/cgroup/memory") ? "v1" : "none");
  if (cgroups.version === "v1") {
    const mounted = readFileSync("/proc/self/mountinfo", "utf8");
    const lacks = ["cpu", "memory", "pids"].filter((name) => !new RegExp(`[ ,]${name}(?:,|\\n)`).test(mounted));
    expect(cgroups.missing).toEqual(lacks);
    expect(cgroups.writable).toBe(process.geteuid?.() === 0);
  }
});

test("the disk is that of the root dir, or of the folder that it would be made in", async () => {
  const { disk, rootDirFault } = await facts({ rootDir: path.join(folder, "a/b/root") });
  const { blocks, bsize } = await statfs(folder);
  expect(disk).toMatchObject({ path: folder, capacityBytes: blocks * bsize });
  expect((disk as { availableBytes: number }).availableBytes).toBeGreaterThan(0);
  expect(rootDirFault).toBeUndefined();
});

test("a root dir that cannot be written is named, with what is in its way", async () => {
  expect((await facts({ rootDir: "/proc/1/root-dir" })).rootDirFault).toBe(
    "/proc/1/root-dir cannot be made: /proc/1 may not be written",
  );
  expect((await facts({ rootDir: "/proc/sys/kernel/version" })).rootDirFault).toBe(
    "/proc/sys/kernel/version may not be written",
  );
});

test("a port is free, or taken by another process", async () => {
  const server: Server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  expect((await facts({ port })).port).toEqual({ number: port, state: "taken" });
  await new Promise((resolve) => server.close(resolve));
  expect((await facts({ port })).port).toEqual({ number: port, state: "free" });
});

test("the port is the agent's where the process of its root dir's lock listens on it", async () => {
  const server: Server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const answers = { text: "hooklet", socket: path.join(folder, "hooklet.sock") };
  const hasPort = async () => (await facts({ port, answers })).agent?.hasPort;
  expect(await hasPort()).toBeUndefined();
  await writeFile(path.join(folder, "lock"), String(process.pid));
  expect(await hasPort()).toBe(true);
  await writeFile(path.join(folder, "lock"), String(process.ppid));
  expect(await hasPort()).toBe(false);
  await new Promise((resolve) => server.close(resolve));
});

test("an agent on another socket than the configuration's is another agent", async () => {
  const answers = { text: "hooklet", socket: "/run/other/hooklet.sock" };
  expect((await facts({ answers })).agent).toEqual({ ...answers, isOther: true, hasPort: undefined });
});

test.each([
  { endpoint: "unix:///run/x.sock", path: "/run/x.sock" },
  { endpoint: "unix:/run/x.sock", path: "/run/x.sock" },
  { endpoint: "/run/x.sock", path: "/run/x.sock" },
])("runtime cri: the socket of $endpoint is looked for, no other", async ({ endpoint, path: expected }) => {
  expect(await facts({ runtime: { specifier: "cri", options: { endpoint } } })).toMatchObject({
    runtime: "cri",
    criEndpoint: expected,
    criSockets: [],
  });
});

test("a socket of runtime cri that is there is found", async () => {
  const endpoint = path.join(folder, "cri.sock");
  await writeFile(endpoint, "");
  expect((await facts({ runtime: { specifier: "cri", options: { endpoint } } })).criSockets).toEqual([endpoint]);
});

test("with a configuration that cannot be read, its fault and the defaults", async () => {
  const home = path.join(folder, "home");
  await mkdir(home);
  const config = "no rc file";
  const agent = async () => undefined;
  const found: MachineFacts = await machineFacts({
    clock: systemClock,
    env: { HOME: home },
    config,
    configFile: undefined,
    agent,
  });
  expect(found).toMatchObject({
    configFault: "no rc file",
    configFile: undefined,
    runtime: "process",
    evictionHard: {},
    port: { number: 10_248 },
  });
});
