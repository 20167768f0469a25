import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import { join } from "node:path";
import { nodeHost } from "@hooklet/linux";
import { systemClock } from "@hooklet/utils";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { NodeConfig } from "../../../src/config/agent-config.js";
import { Node, readAddress, readMachine, readPlatform } from "../../../src/node/node.js";

const config = {
  name: "worker-1",
  labels: { zone: "a", "kubernetes.io/hostname": "own" },
  taints: [],
  maxPods: 5,
  kubeReserved: {},
  systemReserved: { cpu: "100m" },
  evictionHard: {},
  capacity: {},
} as unknown as NodeConfig;

const machine = { cpus: 2, memoryBytes: 2 ** 30, diskBytes: 2 ** 33, hugePages: [] };
const aNode = (change: Partial<NodeConfig> = {}) =>
  new Node({
    config: { ...config, ...change },
    rootDir: "/var/lib/x",
    machine,
    platform: { os: "linux", arch: "amd64" },
    address: "10.0.0.7",
  });

describe("the node", () => {
  test("has the kubelet's labels, and the configured ones over them", () => {
    expect(aNode().labels).toEqual({
      "kubernetes.io/hostname": "own",
      "kubernetes.io/os": "linux",
      "kubernetes.io/arch": "amd64",
      "beta.kubernetes.io/os": "linux",
      "beta.kubernetes.io/arch": "amd64",
      zone: "a",
    });
  });

  test("counts cpu in milli-cores, less what is reserved", () => {
    expect(aNode().capacity()).toEqual({ cpu: 2000, memory: 2 ** 30, "ephemeral-storage": 2 ** 33, pods: 5 });
    expect(aNode().allocatable().cpu).toBe(1900);
  });

  test("gains and loses devices, which the next facts show", () => {
    const node = aNode();
    const before = node.facts();
    expect(node.facts()).toBe(before);
    node.setExtendedResource("vendor.example/gpu", { capacity: 4, allocatable: 3 });
    expect(node.capacity()).toMatchObject({ "vendor.example/gpu": 4 });
    expect(node.facts().allocatable).toMatchObject({ "vendor.example/gpu": 3 });
    node.setExtendedResource("vendor.example/gpu", undefined);
    expect(node.facts()).toEqual(before);
  });

  test.each([
    { name: "a resource of the machine", resource: "cpu", amount: { capacity: 1, allocatable: 1 } },
    { name: "a negative count", resource: "vendor.example/gpu", amount: { capacity: -1, allocatable: 0 } },
    { name: "half a device", resource: "vendor.example/gpu", amount: { capacity: 1, allocatable: 0.5 } },
    {
      name: "more than a machine can hold",
      resource: "vendor.example/gpu",
      amount: { capacity: 2 ** 40, allocatable: 1 },
    },
  ])("refuses $name as an extended resource", ({ resource, amount }) => {
    const node = aNode();
    expect(() => node.setExtendedResource(resource, amount)).toThrow("setExtendedResource");
    expect(node.facts()).toEqual(aNode().facts());
  });

  test("uses the configured address before the machine's", () => {
    expect([aNode().ip, aNode({ ip: "192.0.2.1" }).ip]).toEqual(["10.0.0.7", "192.0.2.1"]);
  });
});

describe("the machine", () => {
  let directory: string;
  const host = nodeHost(systemClock);
  beforeAll(async () => {
    directory = await mkdtemp(join(os.tmpdir(), "hooklet-node-"));
    for (const [size, pages] of [
      ["1048576kB", "0\n"],
      ["2048kB", "16\n"],
    ] as const) {
      await mkdir(join(directory, `hugepages-${size}`));
      await writeFile(join(directory, `hugepages-${size}`, "nr_hugepages"), pages);
    }
    await mkdir(join(directory, "something-else"));
  });
  afterAll(() => rm(directory, { recursive: true }));

  test("reports its processors, memory, disk and huge pages", async () => {
    const facts = await readMachine(host, directory, directory);
    expect(facts.cpus).toBe(os.cpus().length);
    expect(facts.memoryBytes).toBe(os.totalmem());
    expect(facts.diskBytes).toBeGreaterThan(2 ** 20);
    expect(facts.hugePages).toEqual([
      { pageBytes: 2 ** 21, pages: 16 },
      { pageBytes: 2 ** 30, pages: 0 },
    ]);
  });

  test("has no huge pages where the kernel has none", async () => {
    expect((await readMachine(host, directory, join(directory, "absent"))).hugePages).toEqual([]);
  });

  test("names a root dir that is not there", async () => {
    await expect(readMachine(host, join(directory, "absent"))).rejects.toThrow(join(directory, "absent"));
  });

  test.each([
    ["MemTotal:        4 kB\nMemFree: 1 kB\n", 4_096],
    ["MemFree: 1 kB\n", os.totalmem()],
    [undefined, os.totalmem()],
  ])("has the memory that the kernel reports (%j), else what Node reports", async (text, bytes) => {
    const kernel = { ...host.kernel, read: (file: string) => (file === "/proc/meminfo" ? text : undefined) };
    expect((await readMachine({ ...host, kernel }, directory, join(directory, "absent"))).memoryBytes).toBe(bytes);
  });

  test.each([
    ["linux", "x64", "linux", "amd64"],
    ["linux", "arm64", "linux", "arm64"],
    ["linux", "ia32", "linux", "386"],
    ["linux", "ppc64", "linux", "ppc64le"],
    ["linux", "mipsel", "linux", "mipsle"],
    ["win32", "x64", "windows", "amd64"],
  ] as const)("of platform %s and %s is %s and %s to Go", (platform, arch, goos, goarch) => {
    expect(readPlatform({ platform, arch })).toEqual({ os: goos, arch: goarch });
  });

  test("is the one that Node runs on", () => {
    expect(readPlatform()).toEqual(readPlatform({ platform: process.platform, arch: process.arch }));
  });

  const address = (text: string, internal = false) =>
    ({ address: text, internal, family: text.includes(":") ? "IPv6" : "IPv4" }) as os.NetworkInterfaceInfo;

  test.each([
    {
      name: "the first outer IPv4 address",
      lists: [["127.0.0.1!"], ["fd00::1", "10.1.0.2"], ["10.2.0.2"]],
      expected: "10.1.0.2",
    },
    { name: "IPv6 where there is no IPv4", lists: [["127.0.0.1!"], ["fe80::1", "fd00::1"]], expected: "fd00::1" },
    { name: "loopback where there is nothing else", lists: [["127.0.0.1!"]], expected: "127.0.0.1" },
  ])("is reached at $name", ({ lists, expected }) => {
    const interfaces = Object.fromEntries(
      lists.map((list, i) => [`eth${i}`, list.map((one) => address(one.replace("!", ""), one.endsWith("!")))]),
    );
    expect(readAddress(interfaces)).toBe(expected);
  });
});
