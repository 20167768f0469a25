/** Restart policies and rules of containers (KEP-5307, KEP-5532). */
import { readdirSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, test } from "@jest/globals";
import type { PodSpec } from "kubernetes-types/core/v1.js";
import { aPod, type ContainerParts, startTestAgent, type TestAgent } from "../../../../testkit/src/index.js";

const agents: TestAgent[] = [];

afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.stop();
});

async function running(containers: readonly ContainerParts[], more: Partial<PodSpec> = {}): Promise<TestAgent> {
  const { initContainers = [], ...spec } = more;
  const pod = aPod({ containers, initContainers, spec: { restartPolicy: "Never", ...spec } });
  const agent = await startTestAgent({ pods: [pod] });
  agents.push(agent);
  await agent.waitFor(() => agent.runtime.running("web").length > 0);
  return agent;
}

const withRule = (name: string, action: string, code = 42): ContainerParts =>
  ({
    name,
    restartPolicy: "Never",
    restartPolicyRules: [{ action, exitCodes: { operator: "In", values: [code] } }],
  }) as ContainerParts;

const statusOf = (agent: TestAgent, name: string) => {
  const { containerStatuses = [], initContainerStatuses = [] } = agent.pod("web").status ?? {};
  return [...initContainerStatuses, ...containerStatuses].find((status) => status.name === name);
};

const restartsOf = (agent: TestAgent, ...names: readonly string[]) =>
  names.map((name) => statusOf(agent, name)?.restartCount);

const conditionOf = (agent: TestAgent) =>
  agent.pod("web").status?.conditions?.find(({ type }) => type === "AllContainersRestarting");

describe("a restart that was asked for", () => {
  test("ends all containers in order and starts them again, init containers first, with any policy", async () => {
    const agent = await running([{ name: "main" }, { name: "side" }], { initContainers: [{ name: "setup" } as never] });
    agent.runtime.exit("web", "setup", 0);
    await agent.waitFor(() => agent.runtime.running("web").length === 2);
    await agent.api.restartPod({ name: "web" });
    await agent.waitFor(() => agent.runtime.running("web").includes("setup"));
    expect(restartsOf(agent, "main", "side", "setup")).toEqual([1, 1, 1]);
    agent.runtime.exit("web", "setup", 0);
    await agent.waitFor(() => agent.runtime.running("web").length === 2);
    expect(agent.pod("web").status?.phase).toBe("Running");
  });

  test("does not wait for a back-off, and a second one counts as well", async () => {
    const agent = await running([{ name: "main" }], { restartPolicy: "Always" });
    for (const _ of [1, 2]) {
      agent.runtime.exit("web", "main", 1);
      await agent.waitFor(
        () =>
          statusOf(agent, "main")?.state?.waiting?.reason === "CrashLoopBackOff" ||
          agent.runtime.running("web").length === 1,
      );
    }
    const before = restartsOf(agent, "main")[0] ?? 0;
    for (const more of [1, 2]) {
      await agent.api.restartPod({ name: "web" });
      await agent.advance(1_000);
      expect(agent.runtime.running("web")).toEqual(["main"]);
      expect(restartsOf(agent, "main")).toEqual([before + more]);
    }
  });

  test("is refused for a pod that has ended", async () => {
    const agent = await running([{ name: "main" }]);
    agent.runtime.exit("web", "main", 1);
    await agent.waitFor(() => agent.pod("web").status?.phase === "Failed");
    await expect(agent.api.restartPod({ name: "web" })).rejects.toThrow(
      "has ended or was refused and is not started again",
    );
  });
});

describe("one container", () => {
  test("is started again for an exit code of its rule, and ends its pod with any other", async () => {
    const agent = await running([withRule("main", "Restart")]);
    agent.runtime.exit("web", "main", 42);
    await agent.waitFor(() => restartsOf(agent, "main")[0] === 1 && agent.runtime.running("web").length === 1);
    expect(agent.pod("web").status?.phase).toBe("Running");
    agent.runtime.exit("web", "main", 1);
    await agent.waitFor(() => agent.pod("web").status?.phase === "Failed");
    expect(restartsOf(agent, "main")).toEqual([1]);
  });

  test("an init container that fails is started again by its rule, though its pod never restarts", async () => {
    const agent = await running([{ name: "main" }], { initContainers: [withRule("setup", "Restart") as never] });
    agent.runtime.exit("web", "setup", 42);
    await agent.waitFor(() => restartsOf(agent, "setup")[0] === 1 && agent.runtime.running("web").length === 1);
    agent.runtime.exit("web", "setup", 0);
    await agent.waitFor(() => agent.runtime.running("web").includes("main"));
    expect(agent.pod("web").status?.phase).toBe("Running");
  });
});

describe("a rule that restarts all containers", () => {
  const initContainers = [{ name: "setup" }, { name: "proxy", restartPolicy: "Always" }] as never;

  async function whole(): Promise<TestAgent> {
    const agent = await running([withRule("source", "RestartAllContainers"), { name: "other" }], { initContainers });
    agent.runtime.exit("web", "setup", 0);
    await agent.waitFor(() => agent.runtime.running("web").length === 3);
    return agent;
  }

  const all = ["setup", "proxy", "source", "other"];

  async function begun(agent: TestAgent): Promise<void> {
    await agent.waitFor(() => agent.runtime.running("web").includes("setup"));
    agent.runtime.exit("web", "setup", 0);
    await agent.waitFor(() => agent.runtime.running("web").length === 3);
  }

  test("starts them all again, init containers first, in the existing sandbox", async () => {
    const agent = await whole();
    expect(conditionOf(agent)).toMatchObject({ status: "False" });
    agent.runtime.delay("stopContainer", 1_000);
    agent.runtime.exit("web", "source", 42);
    await agent.waitFor(() => conditionOf(agent)?.status === "True");
    expect(conditionOf(agent)).toMatchObject({
      reason: "RestartAllContainersStarted",
      message: "container exited with restart policy rule",
    });
    expect(agent.pod("web").status?.phase).toBe("Running");
    await agent.waitFor(() => agent.runtime.running("web").includes("setup"));
    expect(agent.runtime.running("web")).toEqual(["setup"]);
    expect(conditionOf(agent)).toMatchObject({ status: "False" });
    expect(statusOf(agent, "other")).toMatchObject({
      restartCount: 1,
      state: {
        waiting: {
          reason: "RestartingAllContainers",
          message: "The container is removed because RestartAllContainers in place",
        },
      },
    });
    agent.runtime.exit("web", "setup", 0);
    await agent.waitFor(() => agent.runtime.running("web").length === 3);
    await agent.advance(600_000);
    expect(restartsOf(agent, "setup", "proxy", "source", "other")).toEqual([1, 1, 1, 1]);
    for (const name of ["setup", "proxy", "source", "other"]) {
      expect(statusOf(agent, name)?.lastState?.terminated).toEqual({
        reason: "RestartingAllContainers",
        message: "The container is removed because RestartAllContainers in place",
        exitCode: 137,
        startedAt: null,
        finishedAt: null,
      });
    }
    expect(agent.runtime.calls.runSandbox).toBe(1);
    expect(agent.problems()).toEqual([]);
  });

  test("of an init container leaves main containers that have not begun as they are", async () => {
    const agent = await running([{ name: "main" }], {
      initContainers: [{ name: "proxy", restartPolicy: "Always" }, withRule("setup", "RestartAllContainers")] as never,
    });
    await agent.waitFor(() => agent.runtime.running("web").includes("setup"));
    agent.runtime.exit("web", "setup", 42);
    await agent.waitFor(() => restartsOf(agent, "setup")[0] === 1 && agent.runtime.running("web").includes("setup"));
    agent.runtime.exit("web", "setup", 0);
    await agent.waitFor(() => agent.runtime.running("web").includes("main"));
    expect(restartsOf(agent, "proxy", "setup", "main")).toEqual([1, 1, 0]);
  });

  test("a removal that fails for a moment is tried again a second later", async () => {
    const agent = await whole();
    agent.runtime.failNext("removeContainer", "the runtime is busy", 1);
    agent.runtime.exit("web", "source", 42);
    await agent.waitFor(() => agent.runtime.running("web").includes("setup"));
    expect(agent.problems().filter((text) => !text.includes("the runtime is busy"))).toEqual([]);
    expect(restartsOf(agent, ...all)).toEqual([1, 1, 1, 1]);
  });

  test("an agent that goes when some are removed takes the others away as well, and counts them all", async () => {
    const agent = await whole();
    agent.runtime.delay("removeContainer", 60_000);
    agent.runtime.exit("web", "source", 42);
    await agent.waitFor(() => (agent.runtime.calls.removeContainer ?? 0) >= 2);
    agent.runtime.delay("removeContainer", 0);
    await agent.restart();
    await begun(agent);
    expect(restartsOf(agent, ...all)).toEqual([1, 1, 1, 1]);
    expect(agent.pod("web").status?.phase).toBe("Running");
  });

  test("an agent that goes when they begin again counts those that were not there", async () => {
    const agent = await whole();
    agent.runtime.exit("web", "source", 42);
    await agent.waitFor(() => restartsOf(agent, "setup")[0] === 1 && agent.runtime.running("web").includes("setup"));
    await agent.restart();
    await begun(agent);
    expect(restartsOf(agent, ...all)).toEqual([1, 1, 1, 1]);
  });

  test("keeps the log of the attempt before, and none of those before that", async () => {
    const agent = await whole();
    for (const round of [1, 2]) {
      agent.runtime.exit("web", "source", 42);
      await agent.waitFor(
        () => restartsOf(agent, "setup")[0] === round && agent.runtime.running("web").includes("setup"),
      );
      await begun(agent);
    }
    const log = (previous: boolean) => agent.api.log({ name: "web", namespace: "default" }, "source", { previous });
    const { path: current } = await log(false);
    expect(path.basename(current)).toBe("2.log");
    expect(path.basename((await log(true)).path)).toBe("1.log");
    expect(readdirSync(path.dirname(current)).sort()).toEqual(["1.log", "2.log"]);
  });
});
