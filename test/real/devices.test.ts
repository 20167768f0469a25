/** The demo plugin on every runtime: real agents, real containers; kill -9 of the agent. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "../support/agent.js";
import { DeviceNode, refusal } from "../support/device-node.js";
import { type RealRuntime, runtimes } from "../support/runtimes.js";

const DEMO = "demo.hooklet.dev/null";
const LIMIT = 120_000;

describe.each(runtimes.filter(({ lacking }) => lacking === undefined))("the demo plugin on $name", (offer) => {
  let runtime: RealRuntime;
  let node: DeviceNode;

  beforeAll(async () => {
    runtime = await offer.start("devices");
    node = await DeviceNode.create(runtime);
    await node.start();
  }, LIMIT);

  afterAll(async () => {
    await node?.remove();
    await runtime?.stop();
  }, LIMIT);

  let plugin: Awaited<ReturnType<DeviceNode["demo"]>>;
  const ids = async (): Promise<readonly (string | undefined)[]> =>
    Promise.all(
      ["one", "two"].map(async (name) => (await node.place.pod(name))?.status.containerStatuses?.[0]?.containerID),
    );

  test(
    "two pods get a device each, the third is refused with the kubelet's words, and all views agree",
    async () => {
      plugin = await node.demo("--pre-start");
      await until("both devices are healthy", async () => (await node.healths(DEMO)).join() === "Healthy,Healthy");
      await node.pod("one", DEMO);
      await until("the first pod runs", () => node.isRunning("one"));
      await node.pod("two", DEMO);
      await until("the second pod runs", () => node.isRunning("two"));
      await node.pod("three", DEMO);
      expect(await node.failed("three")).toMatchObject(refusal(DEMO));
      const expected = { "null-0": "one-node", "null-1": "two-node" };
      expect(await node.owners(DEMO)).toEqual(expected);
      expect(await node.listed()).toEqual(expected);
      expect(plugin.output).toContain("before start: null-0");
      expect(await node.exec("one-node", "sh", "-c", "echo $DEMO_DEVICES")).toBe("null-0\n");
      if (offer.name === "real containerd") {
        expect(await node.exec("two-node", "sh", "-c", "ls -d /dev/null-*; echo x > /dev/null-1")).toBe(
          "/dev/null-1\n",
        );
      }
    },
    LIMIT,
  );

  test(
    "an agent that is killed finds its pods and their devices again, and gives none of them to another pod",
    async () => {
      const before = await ids();
      await node.place.kill();
      await node.place.removeManifest("three.yaml");
      await node.pod("four", DEMO);
      await node.start();
      expect(await node.failed("four")).toMatchObject(refusal(DEMO));
      expect(await ids()).toEqual(before);
      expect(await node.owners(DEMO)).toEqual({ "null-0": "one-node", "null-1": "two-node" });
      await node.place.removeManifest("four.yaml");
    },
    LIMIT,
  );
});
