import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "@jest/globals";
import { z } from "zod";
import type { Agent, AgentOptions } from "../../../src/agent/agent.js";
import { createUncaughtHandler, isStateConsistent, type UncaughtKind } from "../../../src/agent/crash-loop-guard.js";
import type { NodeContext } from "../../../src/plugin/contract.js";
import type { LoadedPlugin } from "../../../src/plugin/loaded.js";
import { followPods, handledPod, handling } from "../../../src/pod/handling.js";
import { TestNode } from "../../agent/node.js";

const system = (syscall: string, code: string): Error => Object.assign(new Error(code), { syscall, code });

test.each([
  { name: "a promise without a handler", kind: "unhandledRejection", error: new Error("x"), whole: true },
  { name: "a rejection that is no error", kind: "unhandledRejection", error: undefined, whole: true },
  {
    name: "a socket without an error listener",
    kind: "uncaughtException",
    error: system("connect", "ECONNREFUSED"),
    whole: true,
  },
  { name: "a pipe without an error listener", kind: "uncaughtException", error: system("write", "EPIPE"), whole: true },
  { name: "a mistake in the middle of something", kind: "uncaughtException", error: new TypeError("x"), whole: false },
  {
    name: "an error with a code of Node's own",
    kind: "uncaughtException",
    error: Object.assign(new Error(), { code: "ERR_X" }),
    whole: false,
  },
  { name: "something thrown that is no error", kind: "uncaughtException", error: "x", whole: false },
] as const)("after $name the state is whole: $whole", ({ kind, error, whole }) => {
  expect(isStateConsistent(kind, error)).toBe(whole);
});

test("what a plugin's callback threw has broken off nothing of the agent", () => {
  expect(isStateConsistent("uncaughtException", new TypeError("x"), "mine")).toBe(true);
});

describe("an uncaught error", () => {
  interface Uncaught {
    readonly kind?: UncaughtKind;
    readonly plugin?: string;
    readonly pod?: string;
  }
  const boom = new Error("boom");
  async function told({ kind = "uncaughtException", plugin, pod }: Uncaught) {
    const seen: unknown[] = [];
    const handler = createUncaughtHandler(
      {
        log: { error: (_: object, text: string) => seen.push(`log ${text}`) },
        events: { node: (...event: string[]) => seen.push(event.join(" ")) },
        coreMetrics: { counter: () => ({ inc: (labels: object) => seen.push(labels) }) },
      } as never,
      { died: async (...of: unknown[]) => void seen.push(["died", ...of]) } as never,
      [],
    );
    followPods();
    const ask = () => handler(kind, boom, plugin);
    return [await (pod === undefined ? ask() : handling(pod, ask)), ...seen];
  }

  test.each<[string, Uncaught, boolean, string]>([
    ["that ends the agent", {}, false, "uncaughtException: boom. The agent restarts"],
    ["of a pod", { pod: "u1" }, false, "uncaughtException, while it handled pod u1: boom. The agent restarts"],
    ["of a promise", { kind: "unhandledRejection" }, true, "unhandledRejection: boom. The agent continues"],
    [
      "of a plugin's callback",
      { plugin: "mine", pod: "u1" },
      true,
      'uncaughtException in a callback of plugin "mine", while it handled pod u1: boom. The agent continues',
    ],
  ])("%s is counted, logged and an event; the pod is noted when the agent ends", async (_, given, isWhole, text) => {
    const { kind = "uncaughtException", pod } = given;
    expect(await told(given)).toEqual([
      isWhole,
      { kind, outcome: isWhole ? "continued" : "restarted" },
      `log ${text}; pods keep running.`,
      `Warning UnforeseenError ${text}; pods keep running.`,
      ...(isWhole ? [] : [["died", pod, boom]]),
    ]);
  });
});

test("the pod for which something is done is known in timers and promises that began there, and nowhere else", async () => {
  let inTimer: string | undefined;
  followPods();
  await handling("uid-1", async () => {
    await pause(1);
    await new Promise<void>((resolve) => {
      setTimeout(() => {
        inTimer = handledPod();
        resolve();
      }, 1);
    });
  });
  expect([inTimer, handledPod()]).toEqual(["uid-1", undefined]);
});

/** A plugin that meets an uncaught error while it handles the pod of this name. */
function deadly(name: string, die: (error: Error) => void): LoadedPlugin {
  const start = (ctx: NodeContext) => {
    ctx.hooks.podAdmit.tap((verdict, { pod }) => {
      if (pod.metadata.name === name) die(new TypeError("nobody foresaw this"));
      return verdict;
    });
  };
  const plugin = { meta: { name: "deadly", api: 1 as const }, options: z.strictObject({}), start };
  return { plugin, options: {}, specifier: "deadly", origin: "test", file: "deadly" };
}

const manifest = (name: string): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: { containers: [{ name: "main", image: "app:1" }] },
  });

describe("an agent that ends over a pod", () => {
  async function node() {
    let agents: Promise<boolean>[] = [];
    let living: Pick<Agent, "uncaught"> | undefined;
    const remember = (agent: Pick<Agent, "uncaught">): void => {
      living = agent;
    };
    class Node extends TestNode {
      override options(): AgentOptions {
        return { ...super.options(), beforeStart: async (agent) => remember(agent) };
      }
    }
    const die = (error: Error): void =>
      void agents.push(living?.uncaught("uncaughtException", error) ?? Promise.reject());
    const here = new Node({ plugins: [deadly("bad-node1", die)] });
    here.runtime.addImage({ id: "sha256:app", names: ["app:1"], size: 1 });
    await here.start();
    /** Whether the agent had to restart. */
    const next = async (): Promise<boolean> => {
      const recorded = await Promise.all(agents);
      agents = [];
      if (recorded.every((whole) => whole)) return false;
      await here.stop();
      await here.start();
      return true;
    };
    return { here, die: next };
  }

  test("a pod that causes it three times in a row is quarantined with a reason, and no other pod; its containers keep running", async () => {
    const { here, die } = await node();
    await here.manifest("good.json", manifest("good"));
    await here.clock.advance(5_000);
    const before = (await here.runtime.listContainers()).filter(({ state }) => state === "CONTAINER_RUNNING");
    await here.manifest("bad.json", manifest("bad"));
    await here.clock.advance(1_000);
    const crashLoopGuard: boolean[] = [];
    for (let life = 0; life < 5; life++) {
      crashLoopGuard.push(await die());
      await here.clock.advance(1_000);
    }
    expect(crashLoopGuard).toEqual([true, true, true, false, false]);
    expect(here.events()).toContainEqual(
      "Quarantined: Handling the pod ended the agent 3 times in a row, last with: nobody foresaw this. " +
        "Its containers keep running, but the agent does not manage them. Change its manifest or delete it, and the agent manages it again.",
    );
    expect(here.status("good").phase).toBe("Running");
    const after = (await here.runtime.listContainers()).filter(({ state }) => state === "CONTAINER_RUNNING");
    expect(after.map(({ id }) => id)).toEqual(expect.arrayContaining(before.map(({ id }) => id)));
  });

  test("is noted on disk, until an agent ends in order", async () => {
    const { here } = await node();
    const noted = (): unknown => {
      const text = readFileSync(path.join(here.rootDir, "state/deaths.json"), "utf8");
      return JSON.parse(text.slice(text.indexOf("\n")));
    };
    await here.manifest("bad.json", manifest("bad"));
    await here.clock.advance(1_000);
    const crash = [{ count: 1, error: "nobody foresaw this" }];
    expect(Object.values(noted() as object)).toEqual(crash);
    await here.stop();
    await here.withoutManifests();
    await here.start();
    expect(Object.values(noted() as object)).toEqual(crash);
    await here.stop();
    expect(noted()).toEqual({});
  });

  test("it is logged, counted and reported by an event naming the pod", async () => {
    const { here, die } = await node();
    await here.manifest("bad.json", manifest("bad"));
    await here.clock.advance(1_000);
    expect(here.events()).toContainEqual(
      expect.stringMatching(/^UnforeseenError: uncaughtException, while it handled pod .*nobody foresaw this/),
    );
    const metrics = await here.agent.api.metrics("/metrics");
    expect(metrics?.body).toContain('hooklet_unforeseen_errors_total{kind="uncaughtException",outcome="restarted"} 1');
    expect(await die()).toBe(true);
  });

  test("an error of a plugin's timer is logged, counted and reported, and ends nothing; an answer that never comes is a rejection", async () => {
    const start = (ctx: NodeContext) => {
      ctx.hooks.podAdmit.tap((verdict, { pod }) => {
        if (pod.metadata.name !== "bad-node1") return verdict;
        // What can be awaited, and throws later instead of answering.
        // biome-ignore lint/suspicious/noThenProperty: that is what is tried
        return { then: () => ctx.clock.schedule(10, () => JSON.parse("{")) } as never;
      });
      ctx.hooks.tick(1).tap(() => void ctx.clock.schedule(1, () => JSON.parse("[")));
    };
    const plugin = { meta: { name: "later", api: 1 as const }, options: z.strictObject({}), start };
    const here = new TestNode({ plugins: [{ plugin, options: {}, specifier: "l", origin: "test", file: "l" }] });
    here.runtime.addImage({ id: "sha256:app", names: ["app:1"], size: 1 });
    await here.start();
    await here.manifest("bad.json", manifest("bad"));
    await here.manifest("good.json", manifest("good"));
    await here.clock.advance(40_000);
    expect([here.status("bad"), here.status("good").phase]).toEqual([
      expect.objectContaining({
        phase: "Failed",
        reason: "UnexpectedAdmissionError",
        message: expect.stringContaining('Plugin "later" in hook podAdmit did not settle: expected within 30 s'),
      }),
      "Running",
    ]);
    expect(here.events()).toContainEqual(
      expect.stringMatching(
        /^UnforeseenError: uncaughtException in a callback of plugin "later": .* The agent continues/,
      ),
    );
    const metrics = await here.agent.api.metrics("/metrics");
    expect(metrics?.body).toMatch(
      /hooklet_unforeseen_errors_total\{kind="uncaughtException",outcome="continued"\} \d\d/,
    );
  });

  test("an unhandled rejection ends nothing", async () => {
    const { here } = await node();
    expect(await here.agent.uncaught("unhandledRejection", new Error("late"))).toBe(true);
    expect(here.events()).toContainEqual(
      expect.stringMatching(/^UnforeseenError: unhandledRejection: late\. The agent continues/),
    );
  });
});
