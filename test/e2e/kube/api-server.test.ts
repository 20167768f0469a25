/** The API server goes and comes back; the node goes on, and tells everything afterwards. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "../agent.js";
import { deployment, Place, pod } from "./cluster.js";
import { killApiServer, withoutApiServer } from "./control-plane.js";
import { HookletNode } from "./nodes.js";

describe("the API server", () => {
  let node: HookletNode;
  let place: Place;

  beforeAll(async () => {
    node = await HookletNode.create("worker1");
    await node.start();
    place = await Place.create("outage");
    await place.apply(
      deployment("web", 5),
      pod("once", { command: ["sh", "-c", "sleep 15; exit 4"] }, { restartPolicy: "Never" }),
    );
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

  test("away for half a minute: containers that end are started again meanwhile, what ended is told afterwards", async () => {
    const before = await place.pods("app=web");
    const victim = before[0]?.metadata.name ?? "";
    await withoutApiServer(async () => {
      // Its shell ends at TERM; nobody asked for that at the API.
      await node.hooklet("exec", "-n", "outage", victim, "--", "kill", "1");
      await until("the agent itself has started it again", async () => {
        const { stdout } = await node.hooklet("get", "pods", "-A", "-o", "json");
        const { items } = JSON.parse(stdout) as { items: readonly LocalPod[] };
        const [status] = items.find(({ metadata }) => metadata.name === victim)?.status.containerStatuses ?? [];
        return status !== undefined && status.restartCount === 1 && status.state.running !== undefined;
      });
      await new Promise((resolve) => setTimeout(resolve, 20_000));
    });
    await until(
      "the API knows of the restart",
      async () => {
        const now = await place.pod(victim);
        return now?.status.containerStatuses?.[0]?.restartCount === 1 && now.status.containerStatuses[0].ready;
      },
      90,
    );
    await until("the API knows of the end", async () => (await place.pod("once"))?.status.phase === "Failed", 60);
    const after = await place.pods("app=web");
    expect(after.map(({ metadata }) => metadata.uid).sort()).toEqual(before.map(({ metadata }) => metadata.uid).sort());
    expect(after.map(({ status }) => status.containerStatuses?.[0]?.restartCount ?? -1).sort()).toEqual([
      0, 0, 0, 0, 0, 1,
    ]);
  }, 240_000);

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

interface LocalPod {
  readonly metadata: { readonly name: string };
  readonly status: {
    readonly containerStatuses?: readonly {
      readonly restartCount: number;
      readonly state: { readonly running?: object };
    }[];
  };
}
