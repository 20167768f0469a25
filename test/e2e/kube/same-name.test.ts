/** Two agents that believe to be the same node. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "../agent.js";
import { deployment, Place } from "./cluster.js";
import { HookletNode } from "./nodes.js";

describe("a second agent with the same node name", () => {
  let first: HookletNode;
  let second: HookletNode;
  let place: Place;

  beforeAll(async () => {
    first = await HookletNode.create("worker1");
    await first.start();
    place = await Place.create("twins");
    await place.apply(deployment("web", 3));
    await place.ready("app=web", 3);
    // The same name and credentials, another root folder; its server would be in the way of the first one's.
    second = await HookletNode.create("worker1", {
      more: { server: null, runtime: { use: "process" }, plugins: [["cgroups", false]] },
    });
  }, 120_000);

  afterAll(async () => {
    await second?.end("SIGTERM");
    await place?.remove();
    await second?.remove();
    await first?.remove();
  }, 240_000);

  test("waits as long as the first one lives, says why, and doubles nothing", async () => {
    const before = await place.pods("app=web");
    second.launch();
    await until("it says why", async () => second.log.includes("is held by another agent"), 60);
    await new Promise((resolve) => setTimeout(resolve, 15_000));
    const { stdout } = await second.hooklet("get", "pods", "-A", "-o", "json");
    expect((JSON.parse(stdout) as { items: readonly unknown[] }).items).toEqual([]);
    expect(second.podFolders()).toEqual([]);
    const shown = (pods: typeof before) =>
      pods.map(({ metadata, status }) => `${metadata.uid} ${status.containerStatuses?.[0]?.containerID}`).sort();
    expect(shown(await place.pods("app=web"))).toEqual(shown(before));
  }, 120_000);

  test("has no part in the cluster when it goes; the first one works on", async () => {
    await second.end("SIGKILL");
    await place.kubectl("scale", "deployment/web", "--replicas=4");
    await place.ready("app=web", 4);
  }, 90_000);
});
