import { describe, expect, test } from "@jest/globals";
import type { NodeContext, PodsPort } from "../../../src/plugin/contract.js";
import { TestNode } from "../../agent/node.js";
import { manifest, plugin } from "../contract/plugin.js";

const resources = { requests: { cpu: "1" }, limits: { cpu: "2" } };
const spec = {
  containers: [{ name: "main", image: "app:1", resources }],
  readinessGates: [{ conditionType: "example.com/routed" }],
};

/** One running pod `web`, and the pods as a plugin has them. */
async function node(open?: (pods: PodsPort, uid: string) => void): Promise<{ here: TestNode; pods: () => PodsPort }> {
  let context: NodeContext | undefined;
  const here = new TestNode({
    plugins: [
      plugin("words", (ctx) => {
        context = ctx;
        return {
          open: ({ pods: [pod] }) => {
            if (pod !== undefined) open?.(ctx.pods, pod.metadata.uid);
          },
        };
      }),
    ],
  });
  here.runtime.addImage({ id: "sha256:app", names: ["app:1"], size: 1 });
  await here.start();
  await here.manifest("web.json", manifest("web", spec));
  await here.clock.advance(1_000);
  return { here, pods: () => (context as NodeContext).pods };
}

const uidOf = (here: TestNode): string => here.pod("web").metadata.uid;
const main = (here: TestNode) => here.status("web").containerStatuses?.[0];
const condition = (here: TestNode, type: string) => here.status("web").conditions?.find((one) => one.type === type);

describe("resources that are really applied", () => {
  test("stand in the status in place of the manifest's until they are taken back", async () => {
    const { here, pods } = await node();
    expect(main(here)).toMatchObject({ allocatedResources: { cpu: "1" }, resources });
    const ref = { podUid: uidOf(here), container: "main" };
    pods().setAppliedResources(ref, { requests: { cpu: "500m" }, limits: { cpu: "750m" } });
    expect(main(here)).toMatchObject({
      allocatedResources: { cpu: "500m" },
      resources: { requests: { cpu: "500m" }, limits: { cpu: "750m" } },
    });
    pods().setAppliedResources(ref, undefined);
    expect(main(here)).toMatchObject({ allocatedResources: { cpu: "1" }, resources });
  });

  test("what is no quantity is refused and changes nothing", async () => {
    const { here, pods } = await node();
    const before = main(here);
    const ref = { podUid: uidOf(here), container: "main" };
    expect(() => pods().setAppliedResources(ref, { requests: { cpu: "much" } })).toThrow(
      'cpu of container main: expected a quantity, found "much"',
    );
    expect(main(here)).toEqual(before);
  });
});

test("health of given devices is shown until the list is empty", async () => {
  const { here, pods } = await node();
  const ref = { podUid: uidOf(here), container: "main" };
  const gpu = { name: "vendor.example/gpu", resources: [{ resourceID: "gpu-0", health: "Unhealthy" as const }] };
  pods().setAllocatedResourcesStatus(ref, [gpu]);
  expect(main(here)?.allocatedResourcesStatus).toEqual([gpu]);
  pods().setAllocatedResourcesStatus(ref, []);
  expect(main(here)).not.toHaveProperty("allocatedResourcesStatus");
  const sick = [{ ...gpu, resources: [{ resourceID: "gpu-0", health: "Sick" as never }] }];
  expect(() => pods().setAllocatedResourcesStatus(ref, sick)).toThrow(/expected Healthy, Unhealthy, Unknown/);
});

describe("conditions of plugins", () => {
  test("a readiness gate holds Ready back, in the kubelet's words, until its condition is True", async () => {
    const { here, pods } = await node();
    const uid = uidOf(here);
    expect(condition(here, "Ready")).toMatchObject({
      status: "False",
      reason: "ReadinessGatesNotReady",
      message: 'corresponding condition of pod readiness gate "example.com/routed" does not exist.',
    });
    pods().setCondition(uid, "example.com/routed", { status: "Unknown" });
    expect(condition(here, "Ready")?.message).toBe(
      'the status of pod readiness gate "example.com/routed" is not "True", but Unknown',
    );
    pods().setCondition(uid, "example.com/routed", { status: "True", reason: "Routed", message: "3 routers" });
    expect(condition(here, "Ready")?.status).toBe("True");
    expect(condition(here, "ContainersReady")?.status).toBe("True");
    pods().setCondition(uid, "example.com/routed", undefined);
    expect(condition(here, "Ready")?.status).toBe("False");
  });

  test("its transition time moves with the status only, and it stands before the agent's own", async () => {
    const { here, pods } = await node();
    const uid = uidOf(here);
    pods().setCondition(uid, "PodResizePending", { status: "True", reason: "Deferred", message: "no room" });
    const first = condition(here, "PodResizePending");
    await here.clock.advance(60_000);
    pods().setCondition(uid, "PodResizePending", { status: "True", reason: "Infeasible", message: "too much" });
    expect(condition(here, "PodResizePending")).toEqual({ ...first, reason: "Infeasible", message: "too much" });
    expect(here.status("web").conditions?.map(({ type }) => type)).toEqual([
      "PodResizePending",
      "PodReadyToStartContainers",
      "Initialized",
      "Ready",
      "ContainersReady",
      "PodScheduled",
    ]);
  });

  test.each(["Ready", "ContainersReady", "Initialized", "PodScheduled", "PodReadyToStartContainers", "two words", ""])(
    "%p is refused",
    async (type) => {
      const { here, pods } = await node();
      expect(() => pods().setCondition(uidOf(here), type, { status: "True" })).toThrow(/type of a pod condition/);
    },
  );
});

test("what a plugin sets again in `open` is in the first status after a restart of the agent", async () => {
  const said: string[] = [];
  const { here } = await node((pods, uid) => {
    pods.setCondition(uid, "example.com/routed", { status: "True" });
    pods.setAppliedResources({ podUid: uid, container: "main" }, { requests: { cpu: "250m" } });
  });
  await here.stop();
  await here.start();
  said.push(condition(here, "Ready")?.status ?? "");
  expect(said).toEqual(["True"]);
  expect(main(here)).toMatchObject({ allocatedResources: { cpu: "250m" }, resources: { requests: { cpu: "250m" } } });
});
