import { describe, expect, test } from "@jest/globals";
import { TestNode } from "../../agent/node.js";

const manifest = (spec = ""): string => `
apiVersion: v1
kind: Pod
metadata: { name: web }
spec:
  ${spec}
  terminationGracePeriodSeconds: 3
  containers:
    - { name: main, image: "app:1", lifecycle: { postStart: { exec: { command: [warm-up] } } } }
    - { name: next, image: "app:1" }
`;

async function node(): Promise<TestNode> {
  const here = new TestNode();
  here.runtime.addImage({ id: "sha256:app", names: ["app:1"], size: 1 });
  return here.start();
}

const states = (here: TestNode): unknown[] =>
  (here.status("web").containerStatuses ?? []).map(({ state, ready, started }) => ({ state, ready, started }));

describe("while postStart runs", () => {
  test("the container shows as it did before its start, as at a kubelet, and the next one waits", async () => {
    const here = await node();
    here.runtime.execResult({ command: ["warm-up"] }, { delay: 5_000 });
    await here.manifest("web.yaml", manifest());
    await here.clock.advance(4_000);
    const creating = { state: { waiting: { reason: "ContainerCreating" } }, ready: false, started: false };
    expect(states(here)).toEqual([creating, creating]);
    expect(here.status("web").phase).toBe("Pending");
    await here.clock.advance(2_000);
    expect(states(here)).toMatchObject([{ ready: true, state: { running: {} } }, { ready: true }]);
    expect(here.status("web").phase).toBe("Running");
  });

  test("a pod can be deleted while its hook never ends", async () => {
    const here = await node();
    here.runtime.execResult({ command: ["warm-up"] }, { delay: 3_600_000 });
    await here.manifest("web.yaml", manifest());
    await here.clock.advance(1_000);
    await here.manifest("web.yaml", undefined);
    await here.clock.advance(5_000);
    expect(here.agent.api.pods()).toEqual([]);
  });

  test("the agent can go: the container runs on", async () => {
    const here = await node();
    here.runtime.execResult({ command: ["warm-up"] }, { delay: 3_600_000 });
    await here.manifest("web.yaml", manifest());
    await here.clock.advance(1_000);
    await here.stop();
    await here.start();
    await here.clock.advance(1_000);
    expect(here.runtime.running("web-node1")).toEqual(["main", "next"]);
  });
});
