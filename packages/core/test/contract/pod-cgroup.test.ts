import { describe, expect, test } from "@jest/globals";
import type { BeforeSandbox, SandboxPlan } from "../../src/plan/contract.js";
import type { LoadedPlugin } from "../../src/plugin/loaded.js";
import type { SandboxConfig } from "../../src/runtime/port.js";
import { TestNode } from "../agent/node.js";
import { manifest, plugin } from "./plugin.js";

/** A plugin that registers `run` for every pod. */
function cgroups(run: BeforeSandbox, name = "cgroups"): LoadedPlugin {
  return plugin(name, ({ hooks }) => hooks.podAdmit.tap((verdict) => verdict.beforeSandbox(run)));
}

async function node(...plugins: readonly LoadedPlugin[]): Promise<TestNode> {
  const here = new TestNode({ plugins });
  here.runtime.addImage({ id: "sha256:app", names: ["app:1"], size: 1 });
  return here.start();
}

/** Sandbox configs as the runtime gets them: with `runSandbox`, and with `createContainer`. */
function configsSeen(here: TestNode): { sandboxes: SandboxConfig[]; ofContainers: SandboxConfig[] } {
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

const failures = (here: TestNode) =>
  here.agent.api.events().filter(({ reason }) => reason === "FailedCreatePodSandBox");

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
    await here.manifest("web.json", manifest("web"));
    expect(here.status("web").phase).toBe("Pending");
    await here.clock.advance(5_000);
    expect(calls).toBe(3);
    expect(here.status("web")).toMatchObject({ phase: "Running" });
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
    await here.manifest("web.json", manifest("web"));
    await here.clock.advance(1_000);
    expect(seen.sandboxes).toMatchObject([
      {
        annotations: { "example.com/pool": "blue" },
        linux: { resources: { cpuShares: 512, memoryLimitInBytes: 1024 }, overhead: { memoryLimitInBytes: 64 } },
      },
    ]);
  });

  test("two plugins that set one cgroup parent are named, and the pod goes on trying", async () => {
    const here = await node(
      cgroups((sandbox) => sandbox.setCgroupParent("/kubepods/a"), "first"),
      cgroups((sandbox) => sandbox.setCgroupParent("/kubepods/b"), "second"),
    );
    await here.manifest("web.json", manifest("web"));
    await here.clock.advance(1_000);
    expect(here.status("web").phase).toBe("Pending");
    const told = here.events().find((event) => event.startsWith("FailedCreatePodSandBox"));
    expect(told).toContain("Two owners claim cgroup parent of one sandbox: first has set it, second sets it again");
  });

  test("one that hangs ends at its deadline of 30 s, with its signal aborted and its plan closed, and is called again", async () => {
    const plans: SandboxPlan[] = [];
    const here = await node(
      cgroups((sandbox) => {
        plans.push(sandbox);
        return plans.length === 1 ? new Promise<void>(() => {}) : undefined;
      }),
    );
    await here.manifest("web.json", manifest("web"));
    await here.clock.advance(29_000);
    expect(plans.map(({ signal }) => signal.aborted)).toEqual([false]);
    await here.clock.advance(5_000);
    expect(here.status("web").phase).toBe("Running");
    expect(plans[0]?.signal.aborted).toBe(true);
    for (const plan of plans) expect(() => plan.setCgroupParent("/late")).toThrow(/a call after that/);
    expect(here.events().join("\n")).toContain('Plugin "cgroups" in hook podAdmit (beforeSandbox) did not settle');
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
    await here.manifest("web.json", manifest("web"));
    await here.manifest("web.json", undefined);
    await here.clock.advance(1_000);
    expect(plans).toHaveLength(1);
    expect(here.agent.api.pods()).toEqual([]);
    expect(failures(here)).toEqual([]);
  });

  test("a sandbox that died is replaced through it, with the next attempt", async () => {
    const attempts: (readonly [attempt: number, exists: boolean])[] = [];
    const here = await node(cgroups(({ attempt, exists }) => void attempts.push([attempt, exists])));
    await here.manifest("web.json", manifest("web"));
    await here.clock.advance(1_000);
    const [sandbox] = await here.runtime.listSandboxes();
    await here.runtime.stopSandbox(sandbox?.id ?? "");
    await here.clock.advance(20_000);
    expect(here.status("web").phase).toBe("Running");
    expect(attempts).toEqual([
      [0, false],
      [1, false],
    ]);
  });
});

describe("a pod that is taken over after a restart of the agent", () => {
  test("is told once, with `exists`, while its containers run on; a container started later is in the same cgroup", async () => {
    const calls: boolean[] = [];
    const here = await node(
      cgroups((sandbox) => {
        calls.push(sandbox.exists);
        sandbox.setCgroupParent("/kubepods/web");
      }),
    );
    await here.manifest("web.json", manifest("web"));
    await here.clock.advance(1_000);
    await here.stop();
    await here.start();
    const seen = configsSeen(here);
    expect(calls).toEqual([false, true]);
    expect(here.status("web")).toMatchObject({ phase: "Running" });

    const [container] = await here.runtime.listContainers();
    await here.runtime.stopContainer(container?.id ?? "", 0);
    await here.clock.advance(20_000);
    expect(seen.ofContainers.map(({ linux }) => linux.cgroupParent)).toEqual(["/kubepods/web"]);
    expect(calls).toEqual([false, true]);
  });

  test("when the plugin fails for it, the containers that run go on, none is started, and it is tried again", async () => {
    let thrown = 0;
    const here = await node(
      cgroups((sandbox) => {
        if (!sandbox.exists || thrown === 2) return;
        thrown++;
        throw new Error("no cgroupfs yet");
      }),
    );
    await here.manifest("web.json", manifest("web"));
    await here.clock.advance(1_000);
    const before = await here.runtime.listContainers();
    await here.stop();
    await here.start();
    expect(here.status("web").phase).toBe("Running");
    expect(await here.runtime.listContainers()).toEqual(before);
    await here.clock.advance(10_000);
    expect(thrown).toBe(2);
    expect(failures(here)).toMatchObject([{ count: 2 }]);
    expect(here.status("web")).toMatchObject({ phase: "Running", containerStatuses: [{ restartCount: 0 }] });
  });
});
