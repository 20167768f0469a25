/** The API server goes and comes back; the node goes on, and tells everything afterwards. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "../../support/agent.js";
import { deployment, Place } from "./cluster.js";
import { killApiServer, withoutApiServer } from "./control-plane.js";
import { HookletNode } from "./nodes.js";

describe("the API server", () => {
  let node: HookletNode;
  let place: Place;

  beforeAll(async () => {
    node = await HookletNode.create("worker1");
    await node.start();
    place = await Place.create("outage");
    await place.apply(deployment("web", 5));
    await place.ready("app=web", 5);
  }, 120_000);

  afterAll(async () => {
    await place?.remove().finally(() => node?.remove());
  }, 240_000);

  test("killed with -9: the agent that runs it starts it again, and no pod is touched", async () => {
    const before = await place.pods("app=web");
    await killApiServer();
    await place.kubectl("scale", "deployment/web", "--replicas=6");
    await place.ready("app=web", 6, 90);
    const after = new Set(
      (await place.pods("app=web")).map(({ status }) => status.containerStatuses?.[0]?.containerID),
    );
    for (const { status } of before) expect(after).toContain(status.containerStatuses?.[0]?.containerID);
  }, 180_000);

  test("away while the agent restarts: pods run on, and the node is Ready when it is back", async () => {
    const before = await place.pods("app=web");
    await withoutApiServer(async () => {
      await node.end("SIGKILL");
      node.launch();
      await until("the agent answers", async () => (await node.hooklet("get", "pods")).code === 0);
      await new Promise((resolve) => setTimeout(resolve, 5_000));
    });
    await until("the node is Ready", () => node.isReady(new Date()), 90);
    await place.ready("app=web", 6, 60);
    const ids = (pods: typeof before) => pods.map(({ status }) => status.containerStatuses?.[0]?.containerID).sort();
    expect(ids(await place.pods("app=web"))).toEqual(ids(before));
  }, 240_000);
});
