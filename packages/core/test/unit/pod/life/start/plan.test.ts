import type { Mount } from "@hooklet/cri-api";
import type { Container } from "@hooklet/manifest";
import { beforeEach, describe, expect, test } from "@jest/globals";
import type { ContainerPlanBuilder } from "../../../../../src/plan/builder.js";
import { baseConfig, planned, withPlan } from "../../../../../src/pod/life/start/plan.js";
import { next } from "../../../../../src/pod/next.js";
import { initialState, type PodEvent } from "../../../../../src/pod/state.js";
import { aContainer, aPod } from "../../../../pod/pods.js";

const mount = (containerPath: string, hostPath = `/host${containerPath}`): Mount => ({
  containerPath,
  hostPath,
  readonly: false,
  selinuxRelabel: false,
  propagation: "PRIVATE",
});
const image = { id: "sha256:app", names: ["app:1"], size: 1, uid: 1000 } as never;

let log: string[];
let decisions: unknown[];
let volumes: readonly Mount[];
let terminationLog: Mount | undefined;
let seccompDefault: boolean;
let allowed: readonly string[] | null;
let tap: (plan: ContainerPlanBuilder, event: object) => void;
beforeEach(() => {
  log = [];
  decisions = [];
  volumes = [];
  terminationLog = undefined;
  seccompDefault = false;
  allowed = null;
  tap = () => undefined;
});

function start(spec: object = {}, events: readonly PodEvent[] = []) {
  const pod = aPod(spec);
  const state = events.reduce(next, initialState(pod, 0, 0));
  const { signal } = new AbortController();
  return {
    ports: {
      allowedHostPaths: () => allowed,
      seccompDefault: () => seccompDefault,
      hooks: { containerStart: { promise: async (plan: ContainerPlanBuilder, event: object) => tap(plan, event) } },
      decisions: (plugin: string) => ({ record: (one: object) => decisions.push([plugin, one]) }),
      node: {
        name: "node1",
        ip: "192.0.2.1",
        clusterDomain: "cluster.local",
        allocatable: () => ({ cpu: 4, memory: 1024 }),
        hosts: async () => "192.0.2.9 of-the-node\n",
      },
      values: { of: async () => ({ get: () => undefined, services: {} }) },
      volumes: {
        restore: async () => void log.push("restore"),
        mounts: async (_: object, { name }: Container, env: ReadonlyMap<string, string>) => {
          log.push(`mounts of ${name} with ${[...env].map(String).join()}`);
          return volumes;
        },
        hostsMount: async (_: object, text: string) => {
          log.push(text);
          return mount("/etc/hosts");
        },
        terminationLogMount: async (_pod: object, { name }: Container, attempt: number) => {
          log.push(`termination log of ${name}, attempt ${attempt}`);
          return terminationLog;
        },
      },
    },
    state: () => state,
    signal,
  } as never;
}

const ipEnv = { env: [{ name: "IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } }] } as never;

describe("what a container is started with", () => {
  const config = (context: never, container = aContainer("main"), ips: readonly string[] = ["10.0.0.1"]) =>
    baseConfig(context, container, image, 2, ips);
  const paths = async (...args: Parameters<typeof config>) =>
    (await config(...args)).mounts.map(({ containerPath }) => containerPath);

  test("is its volumes, the managed hosts file, and the file of its termination message", async () => {
    volumes = [mount("/data")];
    terminationLog = mount("/dev/termination-log");
    expect(await paths(start())).toEqual(["/data", "/etc/hosts", "/dev/termination-log"]);
    expect(log[0]).toBe("restore");
    expect(log[1]).toBe("mounts of main with ");
    expect(log.at(-1)).toBe("termination log of main, attempt 2");
  });

  test("has no file in place of a volume that is mounted there", async () => {
    volumes = [mount("/etc/hosts"), mount("/dev/termination-log")];
    terminationLog = mount("/dev/termination-log", "/elsewhere");
    expect((await config(start())).mounts).toEqual(volumes);
  });

  test.each<[string, readonly string[], string]>([
    ["that of its pod", ["10.0.0.1", "fd00::1"], "10.0.0.1"],
    ["that of the node, as long as its pod has none", [], "192.0.2.1"],
  ])("knows the address of %s", async (_, ips, ip) => {
    const { envs } = await config(start(), aContainer("main", ipEnv), ips);
    expect(envs).toContainEqual({ key: "IP", value: ip });
    expect(log.find((text) => text.includes("localhost"))).toMatch(
      new RegExp(`^${ip.replaceAll(".", "\\.")}\\tweb-node1$`, "m"),
    );
  });

  test.each([
    [true, true],
    [false, false],
    [undefined, false],
  ])("on the host network (%j) has the node's hosts file: %j", async (hostNetwork, isNodes) => {
    await config(start({ hostNetwork }));
    expect(log.some((text) => text.includes("of-the-node"))).toBe(isNodes);
  });

  test("is confined by default where its node says so", async () => {
    seccompDefault = true;
    expect((await config(start())).linux.securityContext.seccomp).toEqual({
      profileType: "RuntimeDefault",
      localhostRef: "",
    });
  });

  test("is refused as root where it must not be", async () => {
    const root = aContainer("main", { securityContext: { runAsNonRoot: true, runAsUser: 0 } });
    await expect(config(start(), root)).rejects.toThrow("container's runAsUser breaks non-root policy");
    expect(log).toEqual([]);
  });

  test("notes the back-off that it has waited, seconds", async () => {
    const backOff = { window: 20_000, startedAt: 0 };
    const { annotations } = await config(start({}, [{ type: "backOffKnown", container: "main", backOff }]));
    expect(annotations["hooklet.dev/back-off-seconds"]).toBe("20");
    expect((await config(start())).annotations).not.toHaveProperty("hooklet.dev/back-off-seconds");
  });

  describe("of an ephemeral container", () => {
    const up: readonly PodEvent[] = [
      { type: "admitted" },
      { type: "sandboxReady", id: "s0", attempt: 0, ips: ["10.0.0.1"], at: 0 },
      {
        type: "observed",
        container: "main",
        observation: { kind: "running", id: "c1", attempt: 0, startedAt: 0, imageRef: "" },
      },
    ];
    const debug = (targetContainerName?: string) => aContainer("debug", { targetContainerName } as never);
    const pid = async (context: never, container: Container) =>
      (await config(context, container)).linux.securityContext.namespaces;

    test("sees the processes of the container that it names", async () => {
      expect(await pid(start({}, up), debug("main"))).toMatchObject({ pid: "TARGET", targetId: "c1" });
    });

    test.each([undefined, ""])("sees its own where it names %j", async (name) => {
      expect(await pid(start({}, up), debug(name))).toMatchObject({ pid: "CONTAINER" });
    });

    test.each(["main", "other"])("waits for %s, which does not run", async (name) => {
      await expect(pid(start(), debug(name))).rejects.toThrow(`unable to find target container ${name}`);
    });
  });
});

describe("what plugins add to a container", () => {
  const config = async () => baseConfig(start(), aContainer("main"), image, 0, ["10.0.0.1"]);
  const setup = aContainer("setup");
  const proxy = aContainer("proxy", { restartPolicy: "Always" } as never);
  const main = aContainer("main");
  const context = () => start({ initContainers: [setup, proxy], containers: [main] });

  test.each([
    ["main", main],
    ["init", setup],
    ["sidecar", proxy],
  ])("is asked for with its kind, %s, and its attempt", async (kind, container) => {
    const seen: unknown[] = [];
    tap = (_, event) => void seen.push(event);
    await planned(context(), container, await config(), 3);
    expect(seen).toEqual([
      { pod: expect.anything(), container, kind, restartCount: 3, signal: expect.any(AbortSignal) },
    ]);
  });

  test("is in its configuration, and a decision of each plugin", async () => {
    const base = await config();
    tap = (plan) => {
      plan.as("a").setEnv("A", "1");
      plan.as("b").setEnv("B", "2");
    };
    const result = withPlan(base, await planned(context(), main, base, 0));
    expect(result).toEqual({
      ...base,
      envs: [...base.envs, { key: "A", value: "1" }, { key: "B", value: "2" }],
      linux: { ...base.linux, resources: expect.anything() },
    });
    const report = { strategy: "containerStart", subject: expect.stringContaining("web-node1"), considered: [] };
    expect(decisions).toEqual([
      ["a", { ...report, outcome: expect.stringMatching(/^set .*A/) }],
      ["b", { ...report, outcome: expect.stringMatching(/^set .*B/) }],
    ]);
  });

  test("fails the start with the plugin's words when it fails", async () => {
    tap = () => {
      throw new Error("no device");
    };
    await expect(planned(context(), main, await config(), 0)).rejects.toMatchObject({
      reason: "PreCreateHookError",
      message: "no device",
    });
  });

  describe("by mounts", () => {
    const add = (hostPath: string) => {
      tap = (plan) => plan.as("devices").addMount(mount("/dev/x", hostPath));
    };

    test.each<[string, readonly string[] | null]>([
      ["/srv/x", null],
      ["/srv/x", ["/opt", "/srv"]],
      ["/srv", ["/srv"]],
    ])("of %s are taken where the source allows %j", async (hostPath, list) => {
      allowed = list;
      add(hostPath);
      const { mounts } = await planned(context(), main, await config(), 0);
      expect(mounts.map((one) => one.hostPath)).toContain(hostPath);
    });

    test.each(["/srvx", "/etc"])("of %s are refused where the source allows /srv alone", async (hostPath) => {
      allowed = ["/srv"];
      add(hostPath);
      const message = `a plugin mounts ${hostPath} at /dev/x, which allowedHostPaths of the pod's source does not name. Add it there`;
      await expect(planned(context(), main, await config(), 0)).rejects.toMatchObject({
        reason: "PreCreateHookError",
        message,
      });
      expect(decisions).toEqual([]);
    });
  });
});
