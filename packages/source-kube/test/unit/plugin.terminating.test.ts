/** `hooklet explain pod` says what a Terminating pod waits for, at each step of its end. */
import { aContainer, startTestAgent, type TestAgent } from "@hooklet/testkit";
import { beforeEach, expect, test } from "@jest/globals";
import { createKubePlugin } from "../../src/plugin.js";
import { FakeCluster } from "../fake-cluster.js";

let cluster: FakeCluster;
let agent: TestAgent;

type Status = { conditions?: { type: string; status: string }[] };
const ready = () =>
  (cluster.pod("web")?.status as Status | undefined)?.conditions?.find(({ type }) => type === "Ready")?.status ===
  "True";
const explained = async (): Promise<string> => {
  const said = await agent.api.explainNow("pod", "default/web");
  return said.find(({ subject }) => subject === "pod/default/web")?.outcome ?? "";
};

beforeEach(async () => {
  cluster = new FakeCluster();
  const plugin = createKubePlugin({ random: () => 0.5, clients: cluster.clients });
  agent = await startTestAgent({ plugins: [[plugin, { kubeconfig: "/unused" }]] });
  agent.runtime.script({ pod: "web", container: "main" }, (process) =>
    process.onTerm(() => process.after(8_000, () => process.exit(0))),
  );
  cluster.addPod("web", {
    containers: [aContainer({ name: "main", image: "web:1" })],
    terminationGracePeriodSeconds: 20,
  });
  await agent.waitFor(ready);
});

test("its containers, by name", async () => {
  cluster.askToGo("web", 20);
  await agent.advance(3_000);
  expect(await explained()).toBe(
    "is being stopped since 3s, within 20s: it was deleted; waits for container main to stop",
  );
});

test("a runtime that cannot stop it: the runtime's message", async () => {
  agent.runtime.failNext("stopSandbox", "device busy", 3);
  cluster.askToGo("web", 20);
  await agent.advance(10_000);
  expect(await explained()).toMatch(/; waits for its sandbox to stop, which failed and is tried again: .*device busy/);
  await agent.waitFor(() => cluster.pod("web") === undefined, 120_000);
});

test("a runtime that cannot remove it: the runtime's message", async () => {
  agent.runtime.failNext("removeSandbox", "device busy", 3);
  cluster.askToGo("web", 20);
  await agent.advance(10_000);
  expect(await explained()).toMatch(
    /; waits for its containers, volumes and logs to be removed, which failed and is tried again: .*device busy/,
  );
  await agent.waitFor(() => cluster.pod("web") === undefined, 120_000);
});

test("an API server that is away", async () => {
  cluster.askToGo("web", 20);
  await agent.advance(1_000);
  cluster.down = true;
  await agent.advance(30_000);
  expect(await agent.runtime.listContainers()).toEqual([]);
  expect(await explained()).toBe(
    "nothing of it is left on the node; waits until its source has taken its last status (an API server that is away, as a rule)",
  );
  cluster.down = false;
  await agent.waitFor(() => cluster.pod("web") === undefined, 30_000);
});
