import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { root } from "../sources.js";
import { until, type V1Pod, Workplace } from "../support/agent.js";

let place: Workplace;

beforeAll(async () => {
  place = await Workplace.create();
  await place.start("--node-name", "here");
}, 180_000);

afterAll(() => place.remove(), 120_000);

const asRoot = process.getuid?.() === 0;

describe("a stranger's manifest", () => {
  beforeAll(async () => {
    await place.manifest(
      "stranger.yaml",
      await readFile(new URL("../fixtures/stranger.yaml", import.meta.url), "utf8"),
    );
    await until(
      "the worker has failed once",
      async () => ((await place.pod("shop"))?.status.containerStatuses?.[1]?.restartCount ?? 0) > 0,
    );
  }, 180_000);

  test("runs, and get pods -o json reports it as a kubelet would", async () => {
    const pod = (await place.pod("shop")) as V1Pod;
    expect(pod.metadata.name).toBe("shop-here");
    expect(pod.metadata.uid).toMatch(/^[0-9a-f]{32}$/);
    expect(pod.status.phase).toBe("Running");
    const { initContainerStatuses = [], containerStatuses = [], conditions = [] } = pod.status;
    expect(initContainerStatuses.map(({ ready, state }) => [ready, state.terminated?.reason])).toEqual([
      [true, "Completed"],
      [true, "Completed"],
    ]);
    expect(containerStatuses[0]).toMatchObject({ name: "cart", ready: true, restartCount: 0, state: { running: {} } });
    expect(containerStatuses[1]?.lastState.terminated).toMatchObject({
      exitCode: 3,
      reason: "Error",
      message: "bye\n",
    });
    expect(conditions.map(({ type, status }) => `${type}=${status}`)).toContain("Initialized=True");
  });

  test("sees its environment with references resolved", async () => {
    let stdout = "";
    // Sorted: the last one of what is looked for, with its line's end.
    await until("it has told all of it", async () => {
      ({ stdout } = await place.hooklet("logs", "shop", "-c", "cart"));
      return /^TIER=.*\n/m.test(stdout);
    });
    expect(stdout.split("\n")).toEqual(
      expect.arrayContaining([
        "GREETING=hello $(NODE)",
        "NODE=here",
        "SENTENCE=hello $(NODE) is kept, here is expanded, $(NODE) is escaped",
        "TIER=frontend",
        "LIMIT=64",
        "PWD=/shared",
      ]),
    );
    // Nothing of the agent's own environment.
    expect(stdout).not.toContain("npm_");
  });

  test("its volumes hold what init containers and hooks wrote", async () => {
    const { stdout } = await place.hooklet("exec", "shop", "-c", "cart", "--", "cat", "prepared", "started");
    expect(stdout).toBe("prepared by shop-here\nstarted\n");
  });

  test("exec hands on the exit code", async () => {
    expect((await place.hooklet("exec", "shop", "-c", "cart", "--", "sh", "-c", "exit 42")).code).toBe(42);
  });

  test("logs --previous shows the container that ended", async () => {
    const { stdout } = await place.hooklet("logs", "shop", "-c", "worker", "--previous");
    expect(stdout).toBe("worked\n");
  });

  test("a pod of another namespace ends as Failed with its exit code", async () => {
    await until("it has ended", async () => (await place.pod("once"))?.status.phase === "Failed");
    const pod = await place.pod("once");
    expect(pod?.status.containerStatuses?.[0]?.state.terminated).toMatchObject({ exitCode: 7, reason: "Error" });
  });

  (asRoot ? test : test.skip)("what it writes outside its volumes does not reach the machine", async () => {
    await place.hooklet("exec", "shop", "-c", "cart", "--", "sh", "-c", "echo here > /root/hooklet-was-here");
    await expect(readFile("/root/hooklet-was-here")).rejects.toThrow("ENOENT");
  });

  test("a removed manifest stops its pods", async () => {
    await place.removeManifest("stranger.yaml");
    await until("no pod is left", async () => (await place.pods()).length === 0);
  });
});

describe("apply and delete", () => {
  const manifest = path.join(root, "examples/trouble/refused.yaml");

  test("a pod that does not fit is rejected with the kubelet's words, others untouched", async () => {
    const applied = await place.hooklet("apply", "-f", manifest);
    expect(applied.stdout).toBe("pod/refused created\n");
    await until("it is rejected", async () => (await place.pod("refused"))?.status.phase === "Failed");
    expect((await place.pod("refused"))?.status).toMatchObject({
      reason: "NodeAffinity",
      message: "Pod was rejected: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    });
    expect((await place.hooklet("explain", "pod", "refused")).stdout).toContain("NodeAffinity");
  });

  test("an applied pod is there after a restart of the agent, until it is deleted", async () => {
    await place.stop();
    await place.start("--node-name", "here");
    expect(await place.pod("refused")).toBeDefined();
    expect((await place.hooklet("delete", "pod", "refused")).code).toBe(0);
    await until("it is gone", async () => (await place.pod("refused")) === undefined);
  });
});
