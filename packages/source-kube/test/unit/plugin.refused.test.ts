/** Pods of a cluster that ask for what this node cannot do, in virtual time. */
import { aContainer, startTestAgent, type TestAgent } from "@hooklet/testkit";
import { beforeEach, expect, test } from "@jest/globals";
import { createKubePlugin } from "../../src/plugin.js";
import { FakeCluster } from "../fake-cluster.js";

let cluster: FakeCluster;
let agent: TestAgent;

beforeEach(async () => {
  cluster = new FakeCluster();
  const plugin = createKubePlugin({ random: () => 0.5, clients: cluster.clients });
  agent = await startTestAgent({ plugins: [[plugin, { kubeconfig: "/unused" }]] });
});

type Status = { phase?: string; containerStatuses?: { state: { waiting?: { reason: string } } }[] };

test.each<{ name: string; spec: object; reason: string; words: string }>([
  {
    name: "a claim",
    spec: { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] },
    reason: "FailedMount",
    words: "persistentVolumeClaim",
  },
  {
    name: "a CSI driver",
    spec: { volumes: [{ name: "data", csi: { driver: "x.io" } }] },
    reason: "FailedMount",
    words: "csi",
  },
])(
  "$name is refused by name: the pod waits, says why as an event, and goes when it is deleted",
  async ({ spec, reason, words }) => {
    cluster.addPod("web", { containers: [aContainer({ name: "main", image: "web:1" })], ...spec });
    const reported = () => cluster.events().filter((event) => event.reason === reason);
    await agent.waitFor(() => reported().length > 0, 60_000);
    expect(String(reported()[0]?.message)).toContain(words);
    const status = cluster.pod("web")?.status as Status;
    expect([status.phase, status.containerStatuses?.[0]?.state.waiting?.reason]).toEqual([
      "Pending",
      "ContainerCreating",
    ]);
    cluster.askToGo("web", 1);
    await agent.waitFor(() => cluster.pod("web") === undefined, 60_000);
  },
);
