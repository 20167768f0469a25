import type { RuntimeInfo } from "@hooklet/cri-api";
import { VirtualClock } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import { createPluginRuntime, podsFor } from "../../../src/agent/plugin-ports.js";
import { aPod } from "../../pod/pods.js";

const info = (more: object = {}): RuntimeInfo =>
  ({ runtimeName: "runner", runtimeVersion: "1.2", isolation: [], ...more }) as never;

describe("the runtime of plugins", () => {
  /** What the runtime and its image leases are asked for. */
  function runtime({ of = {}, statfs = {} }: { of?: object; statfs?: Record<string, object> } = {}) {
    const asked: unknown[][] = [];
    const called =
      (name: string) =>
      async (...args: unknown[]): Promise<string> => {
        asked.push([name, ...args]);
        return `of ${name}`;
      };
    const names = [
      "health",
      "listSandboxes",
      "listContainers",
      "containerStatus",
      "execSync",
      "updateContainerResources",
    ];
    const all = [...names, "listImages", "imageStatus", "removeImage", "listContainerStats"];
    const calls = Object.fromEntries(all.map((name) => [name, called(name)]));
    const port = createPluginRuntime({
      runtime: { name: "runner", info: async () => info(), ...calls, ...of },
      leases: { held: () => new Set(["sha256:app"]) },
      host: { statfs: async (path: string) => statfs[path] },
      clock: new VirtualClock({ start: 7_000 }),
      rootDir: "/root-dir",
      podLogsDir: "/pod-logs",
    } as never);
    return { port, asked };
  }

  test.each<[string, readonly unknown[]]>([
    ["health", []],
    ["listSandboxes", []],
    ["listContainers", []],
    ["containerStatus", ["c1"]],
    ["execSync", ["c1", ["true"], 3]],
    ["updateContainerResources", ["c1", { cpuShares: 2 }]],
    ["listImages", []],
    ["imageStatus", [{ image: "app:1" }]],
    ["removeImage", [{ image: "app:1" }, "gvisor"]],
    ["listContainerStats", []],
  ])("%s is the runtime's", async (name, args) => {
    const { port, asked } = runtime();
    const call = (port as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>)[name];
    expect(await call?.(...args)).toBe(`of ${name}`);
    expect(asked).toEqual([[name, ...args]]);
  });

  test("tells the images that are held, and the runtime's name", () => {
    const { port } = runtime();
    expect([port.name, [...port.heldImages()]]).toEqual(["runner", ["sha256:app"]]);
  });

  test.each<[string, object, object]>([
    ["nothing more", {}, { runtimeHandlers: [""], podNetworks: true, cgroups: true }],
    [
      "sandbox image, cgroup driver and handlers",
      { sandboxImage: "pause:3", cgroupDriver: "systemd", runtimeHandlers: ["", "gvisor"] },
      {
        sandboxImage: "pause:3",
        cgroupDriver: "systemd",
        runtimeHandlers: ["", "gvisor"],
        podNetworks: true,
        cgroups: true,
      },
    ],
    [
      "no network of pods, and cgroups in part",
      {
        isolation: [
          { what: "network", isolated: "no" },
          { what: "cgroups", isolated: "partly" },
        ],
      },
      { runtimeHandlers: [""], podNetworks: false, cgroups: true },
    ],
    [
      "a network of pods and no cgroups",
      {
        isolation: [
          { what: "network", isolated: "yes" },
          { what: "cgroups", isolated: "no" },
        ],
      },
      { runtimeHandlers: [""], podNetworks: true, cgroups: false },
    ],
  ])("has the facts of a runtime that reports %s", async (_, more, facts) => {
    const { port } = runtime({ of: { info: async () => info(more) } });
    const always = { runtimeName: "runner", runtimeVersion: "1.2", podLogsDir: "/pod-logs" };
    expect(await port.facts()).toStrictEqual({ ...always, ...facts });
  });

  describe("has the file systems", () => {
    const root = { device: "/dev/a", capacityBytes: 100, availableBytes: 40 };
    const images = { device: "/dev/b", capacityBytes: 200, availableBytes: 50, inodes: 20, inodesFree: 5 };
    const statfs = { "/root-dir": root, "/images": images };
    const used = { usedBytes: 11, inodesUsed: 3 };
    const node = { mountpoint: "/root-dir", at: 7_000, ...root };

    test("of the node and of the images by what the machine reports; what containers write lies with the images", async () => {
      const imageFsInfo = async () => ({ mountpoint: "/images", ...used });
      const { port } = runtime({ of: { imageFsInfo }, statfs });
      const image = { mountpoint: "/images", at: 7_000, ...images, ...used };
      expect(await port.fileSystems()).toStrictEqual({ node, image, container: image });
    });

    test("by the runtime's own sizes where it reports them, and that of containers where it has one", async () => {
      const own = { capacityBytes: 900, availableBytes: 300 };
      const inodes = { inodes: 90, inodesFree: 30 };
      const imageFsInfo = async () => ({
        mountpoint: "/images",
        ...used,
        ...own,
        container: { mountpoint: "/layers", device: "/dev/c", ...used, ...own, ...inodes },
      });
      const { port } = runtime({ of: { imageFsInfo }, statfs });
      expect(await port.fileSystems()).toStrictEqual({
        node,
        image: { mountpoint: "/images", device: "/images", at: 7_000, ...own, ...used },
        container: { mountpoint: "/layers", device: "/dev/c", at: 7_000, ...own, ...inodes, ...used },
      });
    });

    test.each([{ capacityBytes: 900 }, { availableBytes: 300 }])(
      "by what the machine reports where the runtime has %j alone",
      async (own) => {
        const { port } = runtime({
          of: { imageFsInfo: async () => ({ mountpoint: "/images", ...used, ...own }) },
          statfs,
        });
        expect((await port.fileSystems()).image).toMatchObject(images);
      },
    );

    test("or none, when one of them cannot be read", async () => {
      const fails = async () => {
        throw new Error("connection refused");
      };
      await expect(runtime({ of: { imageFsInfo: fails }, statfs }).port.fileSystems()).rejects.toThrow(
        "connection refused",
      );
    });
  });
});

describe("the pods of a plugin", () => {
  const pod = aPod();
  const { uid } = pod.metadata;
  const ref = { podUid: uid, container: "main" };

  function pods() {
    const calls: unknown[][] = [];
    const reported: string[] = [];
    const listeners: ((...args: unknown[]) => unknown)[] = [];
    const called =
      (name: string) =>
      (...args: unknown[]): string => {
        calls.push([name, ...args]);
        return `of ${name}`;
      };
    const calling = (...names: string[]) => Object.fromEntries(names.map((name) => [name, called(name)]));
    const listening = (listener: (...args: unknown[]) => unknown) => void listeners.push(listener);
    const overrides = calling(
      "setContainerReady",
      "setContainerStarted",
      "setAppliedResources",
      "setAllocatedResourcesStatus",
      "setCondition",
    );
    const port = podsFor("mine", {
      manager: {
        ...calling("list", "active", "awaited", "restartContainer", "running"),
        get: (one: string) => (one === uid ? pod : undefined),
        overrides,
        watch: listening,
        onUpdate: listening,
      },
      evictions: calling("evict"),
      sourcesReady: () => true,
      volumes: calling("emptyDirs"),
      directories: calling("list", "look", "remove"),
      report: (where: string, error: unknown) => reported.push(`${where}: ${(error as Error).message}`),
    } as never);
    return { port, calls, reported, listeners };
  }

  test.each<[string, readonly unknown[], readonly unknown[]]>([
    ["list", [], ["list"]],
    ["active", [], ["active"]],
    ["awaited", [], ["awaited"]],
    ["evict", [uid, { reason: "Evicted" }], ["evict", uid, { reason: "Evicted" }, "mine"]],
    ["setContainerReady", [ref, true], ["setContainerReady", ref, true]],
    ["setContainerStarted", [ref, false], ["setContainerStarted", ref, false]],
    ["setAppliedResources", [ref, { limits: {} }], ["setAppliedResources", ref, { limits: {} }]],
    ["setAllocatedResourcesStatus", [ref, []], ["setAllocatedResourcesStatus", ref, [], "mine"]],
    ["setCondition", [uid, "a/b", { status: "True" }], ["setCondition", uid, "a/b", { status: "True" }]],
    ["restartContainer", [ref, { message: "why" }], ["restartContainer", ref, { message: "why" }]],
    ["volumeDirectories", [uid], ["emptyDirs", pod]],
    ["volumeDirectories", ["other"], ["emptyDirs", undefined]],
    ["directories", [], ["list"]],
    ["directory", [uid], ["look", uid]],
    ["removeDirectory", [uid], ["remove", uid]],
    ["running", [ref], ["running", ref]],
  ])("%s reaches the pods; what a plugin says or evicts carries its name", (name, args, call) => {
    const { port, calls } = pods();
    const one = (port as unknown as Record<string, (...args: unknown[]) => unknown>)[name];
    const answer = one?.(...args);
    expect(calls).toEqual([call]);
    if (answer !== undefined) expect(answer).toBe(`of ${call[0]}`);
  });

  test("are known by uid", () => {
    const { port } = pods();
    expect([port.get(uid), port.get("other"), port.sourcesReady()]).toEqual([pod, undefined, true]);
  });

  test("are watched; an error of the listener is reported in the plugin's name", () => {
    const { port, listeners, reported } = pods();
    const seen: unknown[] = [];
    port.watch((...news) => void seen.push(news));
    port.watch(() => {
      throw new Error("boom");
    });
    for (const listener of listeners) listener(uid, pod);
    expect(seen).toEqual([[uid, pod]]);
    expect(reported).toEqual(["watch of pods of plugin mine: boom"]);
  });

  test("are updated by the plugin where it says so by true; an error is a no, and is reported", () => {
    const { port, listeners, reported } = pods();
    const after = aPod({}, { labels: { tier: "web" } });
    port.onUpdate((...specs) => specs[0] === pod && specs[1] === after);
    port.onUpdate(() => "yes" as never);
    port.onUpdate(() => {
      throw new Error("boom");
    });
    expect(listeners.map((applies) => applies(pod, after))).toEqual([true, false, false]);
    expect(reported).toEqual(["update of a pod of plugin mine: boom"]);
  });
});
