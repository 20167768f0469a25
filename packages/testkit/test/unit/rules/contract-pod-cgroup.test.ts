/** What a plugin that makes cgroups needs: something done before each sandbox, tried again when it fails, and done again for what is taken over. */
import { type BeforeSandbox, definePlugin, type SandboxPlan } from "@hooklet/core";
import type { Runtime, SandboxConfig } from "@hooklet/core/host";
import { describe, expect, test } from "@jest/globals";
import { aPod, startTestAgent, type TestAgent } from "../../../src/index.js";

/** A plugin that registers `run` for every pod. */
const cgroups = (run: BeforeSandbox, name = "cgroups") =>
  definePlugin({
    meta: { name, api: 1 },
    start: ({ hooks }) => hooks.podAdmit.tap((verdict) => verdict.beforeSandbox(run)),
  });

const node = (...plugins: readonly ReturnType<typeof cgroups>[]): Promise<TestAgent> => startTestAgent({ plugins });

/** Sandbox configs as the runtime gets them: with `runSandbox`, and with `createContainer`. */
function configsSeen(here: TestAgent): { sandboxes: SandboxConfig[]; ofContainers: SandboxConfig[] } {
  const seen = { sandboxes: [] as SandboxConfig[], ofContainers: [] as SandboxConfig[] };
  const { runtime } = here;
  const runSandbox = runtime.runSandbox.bind(runtime);
  runtime.runSandbox = (config, ...rest) => {
    seen.sandboxes.push(config);
    return runSandbox(config, ...rest);
  };
  const createContainer = runtime.createContainer.bind(runtime);
  runtime.createContainer = (id, config, sandbox, ...rest) => {
    seen.ofContainers.push(sandbox);
    return createContainer(id, config, sandbox, ...rest);
  };
  return seen;
}

const failures = (here: TestAgent) => here.events().filter(({ reason }) => reason === "FailedCreatePodSandBox");

describe("what a plugin does before a sandbox", () => {
  test("a pod cgroup that fails twice is shown and tried again, and then the pod runs in it", async () => {
    let calls = 0;
    const here = await node(
      cgroups((sandbox) => {
        calls++;
        if (calls <= 2) throw new Error("EBUSY: mkdir /sys/fs/cgroup/kubepods/web");
        sandbox.setCgroupParent("/kubepods/web");
      }),
    );
    const seen = configsSeen(here);
    await here.apply(aPod({ name: "web" }));
    expect(here.pod("web").status?.phase).toBe("Pending");
    await here.advance(5_000);
    expect(calls).toBe(3);
    expect(here.pod("web").status).toMatchObject({ phase: "Running" });
    expect(failures(here)).toMatchObject([
      {
        count: 2,
        type: "Warning",
        message:
          'Failed to create pod sandbox: Plugin "cgroups" in hook podAdmit (beforeSandbox) failed: EBUSY: mkdir /sys/fs/cgroup/kubepods/web',
      },
    ]);
    expect(seen.sandboxes.map(({ linux }) => linux.cgroupParent)).toEqual(["/kubepods/web"]);
    expect(seen.ofContainers.map(({ linux }) => linux.cgroupParent)).toEqual(["/kubepods/web"]);
  });

  test("resources, overhead and annotations reach the sandbox", async () => {
    const here = await node(
      cgroups((sandbox) => {
        sandbox.setResources({ cpuShares: 512, memoryLimitInBytes: 1024 });
        sandbox.setOverhead({ memoryLimitInBytes: 64 });
        sandbox.setAnnotation("example.com/pool", "blue");
      }),
    );
    const seen = configsSeen(here);
    await here.apply(aPod({ name: "web" }));
    await here.advance(1_000);
    expect(seen.sandboxes).toMatchObject([
      {
        annotations: { "example.com/pool": "blue" },
        linux: { resources: { cpuShares: 512, memoryLimitInBytes: 1024 }, overhead: { memoryLimitInBytes: 64 } },
      },
    ]);
  });

  test("the runtime handler that a plugin sets is the sandbox's and that of its images", async () => {
    const here = await node(cgroups((sandbox) => sandbox.setRuntimeHandler("kata-qemu")));
    const seen = configsSeen(here);
    const asked: (string | undefined)[] = [];
    const { runtime } = here;
    const imageStatus = runtime.imageStatus.bind(runtime) as Runtime["imageStatus"];
    runtime.imageStatus = (image: string, handler?: string) => {
      asked.push(handler);
      return imageStatus(image, handler);
    };
    const pullImage = runtime.pullImage.bind(runtime) as Runtime["pullImage"];
    runtime.pullImage = (image: string, signal?: AbortSignal, credentials?: never, handler?: string) => {
      asked.push(handler);
      return pullImage(image, signal, credentials, handler);
    };
    await here.apply(aPod({ name: "web" }));
    await here.advance(1_000);
    expect(here.pod("web").status?.phase).toBe("Running");
    expect(seen.sandboxes.map(({ runtimeHandler }) => runtimeHandler)).toEqual(["kata-qemu"]);
    expect([...new Set(asked)]).toEqual(["kata-qemu"]);
  });

  test("two plugins that set one cgroup parent are named, and the pod is retried", async () => {
    const here = await node(
      cgroups((sandbox) => sandbox.setCgroupParent("/kubepods/a"), "first"),
      cgroups((sandbox) => sandbox.setCgroupParent("/kubepods/b"), "second"),
    );
    await here.apply(aPod({ name: "web" }));
    await here.advance(1_000);
    expect(here.pod("web").status?.phase).toBe("Pending");
    const reported = failures(here)[0]?.message;
    expect(reported).toContain("Two owners claim cgroup parent of one sandbox: first has set it, second sets it again");
  });

  test("one that hangs ends at its deadline of 30 s, with its signal aborted and its plan closed, and is called again", async () => {
    const plans: SandboxPlan[] = [];
    const here = await node(
      cgroups((sandbox) => {
        plans.push(sandbox);
        return plans.length === 1 ? new Promise<void>(() => {}) : undefined;
      }),
    );
    await here.apply(aPod({ name: "web" }));
    await here.advance(29_000);
    expect(plans.map(({ signal }) => signal.aborted)).toEqual([false]);
    await here.advance(5_000);
    expect(here.pod("web").status?.phase).toBe("Running");
    expect(plans[0]?.signal.aborted).toBe(true);
    for (const plan of plans) expect(() => plan.setCgroupParent("/late")).toThrow(/a call after that/);
    expect(
      here
        .events()
        .map(({ message }) => message)
        .join("\n"),
    ).toContain('Plugin "cgroups" in hook podAdmit (beforeSandbox) did not settle');
  });

  test("a pod that is deleted meanwhile aborts it and is not left waiting", async () => {
    const plans: SandboxPlan[] = [];
    const here = await node(
      cgroups((sandbox) => {
        plans.push(sandbox);
        return new Promise((_, reject) =>
          sandbox.signal.addEventListener("abort", () => reject(sandbox.signal.reason)),
        );
      }),
    );
    await here.apply(aPod({ name: "web" }));
    await here.delete("web");
    await here.advance(1_000);
    expect(plans).toHaveLength(1);
    expect(here.api.pods()).toEqual([]);
    expect(failures(here)).toEqual([]);
  });

  test("a sandbox that died is replaced through it, with the next attempt", async () => {
    const attempts: (readonly [attempt: number, exists: boolean])[] = [];
    const here = await node(cgroups(({ attempt, exists }) => void attempts.push([attempt, exists])));
    await here.apply(aPod({ name: "web" }));
    await here.advance(1_000);
    const [sandbox] = await here.runtime.listSandboxes();
    await here.runtime.stopSandbox(sandbox?.id ?? "");
    await here.advance(20_000);
    expect(here.pod("web").status?.phase).toBe("Running");
    expect(attempts).toEqual([
      [0, false],
      [1, false],
    ]);
  });
});

describe("a pod that is taken over after a restart of the agent", () => {
  test("gets it once, with `exists`, while its containers keep running; a container started later is in the same cgroup", async () => {
    const calls: boolean[] = [];
    const here = await node(
      cgroups((sandbox) => {
        calls.push(sandbox.exists);
        sandbox.setCgroupParent("/kubepods/web");
      }),
    );
    await here.apply(aPod({ name: "web" }));
    await here.advance(1_000);
    await here.restart();
    const seen = configsSeen(here);
    expect(calls).toEqual([false, true]);
    expect(here.pod("web").status).toMatchObject({ phase: "Running" });

    const [container] = await here.runtime.listContainers();
    await here.runtime.stopContainer(container?.id ?? "", 0);
    await here.advance(20_000);
    expect(seen.ofContainers.map(({ linux }) => linux.cgroupParent)).toEqual(["/kubepods/web"]);
    expect(calls).toEqual([false, true]);
  });

  test("when the plugin fails for it, running containers continue, none is started, and it is retried", async () => {
    let thrown = 0;
    const here = await node(
      cgroups((sandbox) => {
        if (!sandbox.exists || thrown === 2) return;
        thrown++;
        throw new Error("no cgroupfs yet");
      }),
    );
    await here.apply(aPod({ name: "web" }));
    await here.advance(1_000);
    const before = await here.runtime.listContainers();
    await here.restart();
    expect(here.pod("web").status?.phase).toBe("Running");
    expect(await here.runtime.listContainers()).toEqual(before);
    await here.advance(10_000);
    expect(thrown).toBe(2);
    expect(failures(here)).toMatchObject([{ count: 2 }]);
    expect(here.pod("web").status).toMatchObject({ phase: "Running", containerStatuses: [{ restartCount: 0 }] });
  });
});
