/** How often a node that is not ready is checked. */
import { VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import { nodeStatus } from "../../../src/node/node-status.js";
import { NodeSync } from "../../../src/node/node-sync.js";
import { FakeCluster } from "../../fake-cluster.js";

test("the first checks of a node that is not ready are frequent, so that it is reported at once; one that stays so is checked at the normal rate", async () => {
  const clock = new VirtualClock();
  const { heartbeat, watches } = new FakeCluster().clients({}, { clock });
  const why = ["the runtime is down"];
  const life = new AbortController();
  let looks = 0;
  let ready: readonly string[] = why;
  const facts = () => ({
    name: "node1",
    ip: "192.0.2.10",
    port: undefined,
    capacity: {},
    allocatable: {},
    system: {} as never,
    images: [],
    runtimeHandlers: [],
    conditions: [],
    notReady: ready,
  });
  let statuses = 0;
  const node = new NodeSync({
    client: heartbeat,
    watches,
    clock,
    random: () => 0.5,
    nodeName: "node1",
    registerNode: true,
    registration: () => ({ name: "node1", labels: {}, taints: [], providerID: undefined }),
    status: async (before) => {
      statuses += 1;
      return nodeStatus(facts(), before, new Date(clock.now()).toISOString());
    },
    notReady: async () => {
      looks += 1;
      return ready;
    },
    nodeStatusUpdateFrequency: 10,
    nodeStatusReportFrequency: 300,
    watchConditions: () => () => undefined,
    seen: () => undefined,
    nodeLease: { acts: true, watch: () => undefined },
    transition: () => undefined,
    report: (_, error) => {
      throw error;
    },
  });
  const running = node.run(life.signal);
  await clock.advance(10_000);
  expect(looks).toBeGreaterThan(90);
  await clock.advance(120_000);
  const before = [looks, statuses] as const;
  await clock.advance(600_000);
  expect([looks - before[0], statuses - before[1]]).toEqual([0, 60]);
  ready = [];
  await clock.advance(10_000);
  expect(node.node?.status?.conditions).toContainEqual(expect.objectContaining({ type: "Ready", status: "True" }));
  life.abort();
  await running;
});
