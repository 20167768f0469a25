/** A Deployment by the real scheduler and controllers, on hooklet on containerd. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "../../support/agent.js";
import { deployment, isReady, kubectl, Place, podTemplate, say } from "./cluster.js";
import { HookletNode } from "./nodes.js";

describe("a Deployment", () => {
  let node: HookletNode;
  let place: Place;

  beforeAll(async () => {
    node = await HookletNode.create("worker1");
    await node.start();
    place = await Place.create("deployment");
  });

  afterAll(async () => {
    await place?.remove().finally(() => node?.remove());
  }, 240_000);

  test("runs: scheduled, started, Ready, Available", async () => {
    await place.apply(deployment("web", 3));
    await place.kubectl("rollout", "status", "deployment/web", "--timeout=60s");
    const pods = await place.pods("app=web");
    expect(pods.map(({ spec }) => spec.nodeName)).toEqual(["worker1", "worker1", "worker1"]);
    expect(new Set(pods.map(({ status }) => status.podIP)).size).toBe(3);
  });

  test("scales to 100, and back to 10", async () => {
    const began = Date.now();
    await place.kubectl("scale", "deployment/web", "--replicas=100");
    await place.ready("app=web", 100, 180);
    say(`100 pods Ready after ${((Date.now() - began) / 1000).toFixed(1)} s`);
    const down = Date.now();
    await place.kubectl("scale", "deployment/web", "--replicas=10");
    await place.ready("app=web", 10, 120);
    say(`90 of them gone after ${((Date.now() - down) / 1000).toFixed(1)} s`);
  }, 360_000);

  test("a rolling update replaces every pod, and never has more unavailable than it may", async () => {
    const before = new Set((await place.pods("app=web")).map(({ metadata }) => metadata.uid));
    const template = podTemplate("web", { env: [{ name: "VERSION", value: "2" }] });
    const rollingUpdate = { maxUnavailable: 2, maxSurge: 3 };
    let least = Number.POSITIVE_INFINITY;
    let rolling = true;
    const watching = (async () => {
      while (rolling) least = Math.min(least, (await place.pods("app=web")).filter(isReady).length);
    })();
    try {
      await place.apply(deployment("web", 10, template, { strategy: { type: "RollingUpdate", rollingUpdate } }));
      await place.kubectl("rollout", "status", "deployment/web", "--timeout=120s");
    } finally {
      rolling = false;
      await watching;
    }
    await place.ready("app=web", 10);
    expect((await place.pods("app=web")).filter(({ metadata }) => before.has(metadata.uid))).toEqual([]);
    expect(least).toBeGreaterThanOrEqual(8);
  }, 180_000);

  test("cordon keeps new pods away and leaves the others alone; uncordon lets them in", async () => {
    await kubectl("cordon", "worker1");
    await place.kubectl("scale", "deployment/web", "--replicas=12");
    await until("two pods wait", async () => {
      const pods = await place.pods("app=web");
      return pods.length === 12 && pods.filter(({ spec }) => spec.nodeName === undefined).length === 2;
    });
    expect((await place.pods("app=web")).filter(isReady)).toHaveLength(10);
    await kubectl("uncordon", "worker1");
    await place.ready("app=web", 12);
  }, 120_000);

  test("drain empties the node by evictions; uncordon fills it again", async () => {
    const budget = {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name: "web" },
      spec: { maxUnavailable: 4, selector: { matchLabels: { app: "web" } } },
    };
    await place.kubectl("scale", "deployment/web", "--replicas=4");
    await place.ready("app=web", 4);
    await place.apply(budget);
    await kubectl("drain", "worker1", "--ignore-daemonsets", "--timeout=60s");
    const left = await place.pods("app=web");
    expect(left.filter(({ spec }) => spec.nodeName === "worker1")).toEqual([]);
    await kubectl("uncordon", "worker1");
    await place.ready("app=web", 4);
  }, 180_000);

  test("its deletion leaves nothing of its pods, at the API or on the node", async () => {
    await place.kubectl("delete", "deployment/web", "--cascade=foreground", "--timeout=60s");
    await until("no pod is left", async () => (await place.pods()).length === 0);
    await until("no folder is left", async () => node.podFolders().length === 0);
    const { stdout } = await node.hooklet("get", "pods", "-A", "-o", "json");
    expect((JSON.parse(stdout) as { items: readonly unknown[] }).items).toEqual([]);
  }, 120_000);
});
