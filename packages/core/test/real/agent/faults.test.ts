import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { RuntimeError } from "@hooklet/cri-api";
import { describe, expect, test } from "@jest/globals";
import { pino } from "pino";
import { z } from "zod";
import { startAgent } from "../../../src/agent/agent.js";
import type { NodeContext, NodePlugin, PluginInstance } from "../../../src/plugin/contract.js";
import type { LoadedPlugin } from "../../../src/plugin/loaded.js";
import { TestNode } from "../../agent/node.js";

const manifest = (name: string, image = "app:1"): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: { terminationGracePeriodSeconds: 2, containers: [{ name: "main", image }] },
  });

function loaded(name: string, start: (ctx: NodeContext) => PluginInstance | undefined): LoadedPlugin {
  const plugin: NodePlugin = { meta: { name, api: 1 }, options: z.strictObject({}), start: (ctx) => start(ctx) };
  return { plugin, options: {}, specifier: name, origin: "test", file: name };
}

async function node(...plugins: readonly LoadedPlugin[]): Promise<TestNode> {
  const here = new TestNode({ plugins });
  here.runtime.addImage({ id: "sha256:app", names: ["app:1"], size: 1 });
  return here.start();
}

const taps = (tap: (ctx: NodeContext) => void): LoadedPlugin =>
  loaded("custom", (ctx) => {
    tap(ctx);
    return undefined;
  });

describe("a plugin that misbehaves", () => {
  test.each([
    {
      name: "throws in podAdmit",
      plugin: taps(({ hooks }) =>
        hooks.podAdmit.tap(() => {
          throw new Error("no idea");
        }),
      ),
    },
  ])("$name: the pod is rejected naming it", async ({ plugin }) => {
    const here = await node(plugin);
    await here.manifest("web.json", manifest("web"));
    await here.clock.advance(31_000);
    expect(here.status("web")).toMatchObject({ phase: "Failed", reason: "UnexpectedAdmissionError" });
    expect(here.status("web").message).toContain("custom");
  });

  test.each([
    {
      name: "throws in containerStart",
      plugin: taps(({ hooks }) =>
        hooks.containerStart.tap(() => {
          throw new Error("no device left");
        }),
      ),
    },
  ])("$name: the container waits naming it, and is tried again", async ({ plugin }) => {
    const here = await node(plugin);
    await here.manifest("web.json", manifest("web"));
    await here.clock.advance(31_000);
    const waiting = here.status("web").containerStatuses?.[0]?.state?.waiting;
    expect(waiting?.reason).toBe("PreCreateHookError");
    expect(waiting?.message).toContain("custom");
    const report = () => here.agent.api.plugins()[0]?.taps[0]?.calls ?? 0;
    const calls = report();
    await here.clock.advance(120_000);
    expect(report()).toBeGreaterThan(calls);
    expect(here.runtime.calls.createContainer).toBe(0);
  });

  test("hangs in afterStart and afterStop: the pod's other containers start, and it can be deleted", async () => {
    const hang = (): Promise<void> => new Promise(() => {});
    const here = await node(
      taps(({ hooks }) => {
        hooks.containerStart.tap((plan) => plan.afterStart(hang));
        hooks.podTerminate.tap((event) => event.afterStop(hang));
      }),
    );
    const pod = JSON.parse(manifest("web")) as { spec: { containers: object[] } };
    pod.spec.containers.push({ name: "next", image: "app:1" });
    await here.manifest("web.json", JSON.stringify(pod));
    await here.clock.advance(61_000);
    expect(here.runtime.running("web-node1")).toEqual(["main", "next"]);
    await here.manifest("web.json", undefined);
    await here.clock.advance(40_000);
    expect(here.agent.api.pods()).toEqual([]);
  });

  test("throws and hangs in podTerminate: the pod is stopped all the same", async () => {
    const here = await node(
      taps(({ hooks }) =>
        hooks.podTerminate.tap(() => {
          throw new Error("no");
        }),
      ),
      loaded("hanging", ({ hooks }) => {
        hooks.podTerminate.tap(() => new Promise(() => {}));
        return undefined;
      }),
    );
    await here.manifest("web.json", manifest("web"));
    await here.clock.advance(1000);
    await here.manifest("web.json", undefined);
    await here.clock.advance(60_000);
    expect(here.agent.api.pods()).toEqual([]);
  });

  test("is still in podAdmit when the agent stops: the pod is not Failed, and the next agent admits it again", async () => {
    let answer: (() => void) | undefined;
    let asked = 0;
    const here = await node(
      taps(({ hooks }) =>
        hooks.podAdmit.tap(async () => {
          asked += 1;
          if (asked === 1) await new Promise<void>((resolve) => (answer = resolve));
        }),
      ),
    );
    const seen: (string | undefined)[] = [];
    here.agent.api.watchPods(() => seen.push(here.agent.api.pods()[0]?.status?.phase));
    await here.manifest("web.json", manifest("web"));
    expect(asked).toBe(1);
    const stopping = here.stop();
    await here.clock.settle();
    answer?.();
    await stopping;
    expect(seen).not.toContain("Failed");
    await here.start();
    await here.clock.advance(1_000);
    expect([asked, here.status("web").phase]).toEqual([2, "Running"]);
  });

  test("gives up in podAdmit because the agent stops: the pod is not Failed and gets no event, and the next agent admits it again", async () => {
    let asked = 0;
    const here = await node(
      taps(({ hooks }) =>
        hooks.podAdmit.tap(async (_verdict, { signal }) => {
          asked += 1;
          if (asked > 1) return;
          await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
        }),
      ),
    );
    const [seen, reported]: [(string | undefined)[], string[]] = [[], []];
    here.agent.api.watchPods(() => seen.push(here.agent.api.pods()[0]?.status?.phase));
    here.agent.api.watchEvents(({ reason }) => void reported.push(reason ?? ""));
    await here.manifest("web.json", manifest("web"));
    expect(asked).toBe(1);
    await here.stop();
    expect([seen.includes("Failed"), reported]).toEqual([false, []]);
    await here.start();
    await here.clock.advance(1_000);
    expect([asked, here.status("web").phase]).toEqual([2, "Running"]);
  });

  test("that fails to start leaves nothing behind: another agent can start on the same root dir", async () => {
    const here = new TestNode({
      plugins: [
        loaded("custom", () => {
          throw new Error("my port is taken");
        }),
      ],
    });
    await expect(here.start()).rejects.toThrow('Plugin "custom" could not be started: my port is taken');
    await expect(here.start()).rejects.toThrow("my port is taken");
  });
});

describe("state and disk", () => {
  test("a second agent on the same root dir is refused in clear words", async () => {
    const here = await node();
    const second = startAgent({ ...here.options(), runtime: here.runtime, log: pino({ level: "silent" }) });
    await expect(second).rejects.toThrow(/Another agent .* uses the root directory/);
  });

  test("a damaged state file is moved aside with an event, and the agent starts", async () => {
    const counting = loaded("counting", ({ checkpoint }) => ({
      open: async () => {
        await checkpoint("count").read();
        await checkpoint("count").write({ count: 1 });
      },
    }));
    const here = await node(counting);
    await here.stop();
    const file = path.join(here.rootDir, "state", "plugins", "counting", "count.json");
    writeFileSync(file, readFileSync(file).subarray(0, 20));
    await here.start();
    expect(here.events().join()).toContain("CorruptCheckpoint");
    expect(readdirSync(path.dirname(file)).join()).toContain("count.json.corrupt-");
  });

  test("a container that goes away while the agent starts does not keep it from starting", async () => {
    const here = await node();
    await here.agent.api.apply(manifest("web"), "test");
    await here.clock.advance(1000);
    await here.stop();
    const { containerStatus } = here.runtime;
    let gone = 0;
    here.runtime.containerStatus = async () => {
      gone += 1;
      here.runtime.containerStatus = containerStatus;
      throw new RuntimeError("not-found", "an error occurred when try to find container: not found");
    };
    await here.start();
    expect(gone).toBe(1);
    expect(here.pod("web").status?.phase).toBe("Running");
  });

  test("what a runtime found damaged becomes an event", async () => {
    const here = new TestNode();
    Object.assign(here.runtime, { damage: () => ["state of container c is damaged and was renamed to c.corrupt-1"] });
    await here.start();
    expect(here.events().join()).toContain("CorruptCheckpoint: state of container c is damaged");
  });

  test("removing an image that is not there is an error with the nearest names", async () => {
    const here = await node();
    const removal = here.agent.api.removeImage("apq:1");
    await expect(removal).rejects.toThrow('No image "apq:1". Did you mean "app:1"?');
    await here.agent.api.removeImage("app:1");
    expect(await here.agent.api.images()).toEqual([]);
  });

  test("an evicted pod stays evicted over a restart of the agent, and its containers are gone", async () => {
    let ctx: NodeContext | undefined;
    const evicting = loaded("evicting", (given) => {
      ctx = given;
      return undefined;
    });
    const here = await node(evicting);
    // Static pods are critical, and never evicted.
    await here.agent.api.apply(manifest("web"), "test");
    await here.clock.advance(1000);
    const done = ctx?.pods.evict(here.pod("web").metadata.uid, {
      reason: "Preempting",
      message: "Preempted in order to admit critical pod",
      condition: { type: "DisruptionTarget", reason: "TerminationByKubelet", message: "because" },
    });
    await here.clock.advance(5000);
    await done;
    const expected = { phase: "Failed", reason: "Preempting", message: "Preempted in order to admit critical pod" };
    expect(here.status("web")).toMatchObject(expected);
    expect(here.status("web").conditions?.[0]).toMatchObject({ type: "DisruptionTarget", status: "True" });
    await here.stop();
    await here.start();
    await here.clock.advance(60_000);
    expect(here.status("web")).toMatchObject(expected);
    expect(here.runtime.running("web")).toEqual([]);
  });

  test("a clock that jumps changes no back-off and no deadline", async () => {
    const here = await node();
    here.runtime.script({ container: "main" }, (process) => process.exit(1));
    await here.manifest("crash.json", manifest("crash"));
    await here.clock.advance(1000);
    here.clock.jump(86_400_000);
    await here.clock.advance(8000);
    expect(here.status("crash").containerStatuses?.[0]?.restartCount).toBe(1);
    here.clock.jump(-10 * 86_400_000);
    await here.clock.advance(2000);
    expect(here.status("crash").containerStatuses?.[0]?.restartCount).toBe(2);
  });

  test("1 000 manifests at once all run", async () => {
    const here = new TestNode({ node: { maxPods: 2000 } });
    here.runtime.addImage({ id: "sha256:app", names: ["app:1"], size: 1 });
    await here.start();
    const list = {
      apiVersion: "v1",
      kind: "List",
      items: Array.from({ length: 1000 }, (_, i) => JSON.parse(manifest(`p${i}`)) as object),
    };
    await here.manifest("all.json", JSON.stringify(list));
    await here.clock.advance(5000);
    const phases = new Set(here.agent.api.pods().map((pod) => pod.status?.phase));
    expect(here.agent.api.pods()).toHaveLength(1000);
    expect([...phases]).toEqual(["Running"]);
  });
});

describe("a runtime that misbehaves", () => {
  test("that is unavailable is not the containers' failure: no restart, no event, and the start continues when it is back", async () => {
    const here = await node();
    const { RuntimeError } = await import("@hooklet/cri-api");
    here.runtime.failNext("createContainer", new RuntimeError("unavailable", "connection refused"), 3);
    await here.manifest("web.json", manifest("web"));
    await here.clock.advance(10_000);
    expect(here.status("web").containerStatuses?.[0]).toMatchObject({ ready: true, restartCount: 0 });
    expect(here.events().filter((event) => event.startsWith("Failed"))).toEqual([]);
  });

  test("that cannot stop a container is asked again until it can", async () => {
    const here = await node();
    await here.manifest("web.json", manifest("web"));
    await here.clock.advance(1000);
    here.runtime.failNext("stopContainer", "busy", 2);
    await here.manifest("web.json", undefined);
    await here.clock.advance(5000);
    expect(here.events().join()).toContain("FailedKillPod: error killing pod");
    await here.clock.advance(60_000);
    expect(here.agent.api.pods()).toEqual([]);
  });

  test("that starts a container badly: exit code 128, RunContainerError, started again by its policy", async () => {
    const here = await node();
    const { RuntimeError } = await import("@hooklet/cri-api");
    const text = 'exec: "foo": executable file not found in $PATH';
    here.runtime.failNext("startContainer", new RuntimeError("start-error", text), 50);
    await here.manifest("web.json", manifest("web"));
    await here.clock.advance(1000);
    expect(here.events()).toContain(`Failed: Error: ${text}`);
    expect(here.status("web").containerStatuses?.[0]?.ready).toBe(false);
  });
});

test("a folder that is refilled while its pod is removed costs a later try, and no other pod anything", async () => {
  const here = await node();
  const volumes = [{ name: "scratch", emptyDir: {} }];
  const containers = [{ name: "main", image: "app:1", volumeMounts: [{ name: "scratch", mountPath: "/scratch" }] }];
  const spec = { terminationGracePeriodSeconds: 2, volumes, containers };
  await here.manifest("web.json", JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name: "web" }, spec }));
  const directory = path.join(here.rootDir, "pods", here.pod("web").metadata.uid);
  const filled = path.join(directory, "volumes/kubernetes.io~empty-dir/scratch");
  const fill =
    'for (1 .. 300) { mkdir "$ARGV[0]/$_" } $| = 1; print "filled\\n"; for (301 .. 3000) { mkdir "$ARGV[0]/$_"; select undef, undef, undef, 0.001 }';
  const filler = spawn("perl", ["-e", fill, filled]);
  const ended = once(filler, "close");
  try {
    await once(filler.stdout, "data");
    await here.manifest("web.json", undefined);
    await here.clock.advance(3_000);
    await here.manifest("next.json", manifest("next"));
    expect(here.status("next").phase).toBe("Running");
  } finally {
    filler.kill("SIGKILL");
    await ended;
  }
  while (existsSync(directory)) await here.clock.advance(11_000);
  await here.clock.settle();
  expect(() => here.pod("web")).toThrow('No pod "web"');
});
