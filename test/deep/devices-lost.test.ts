/** The demo plugin, the agent and the checkpoint are lost, on every runtime, with real containers. */
import { readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "../support/agent.js";
import { DeviceNode } from "../support/device-node.js";
import { type RealRuntime, runtimes } from "../support/runtimes.js";

const DEMO = "demo.hooklet.dev/null";
const LIMIT = 120_000;

describe.each(runtimes.filter(({ lacking }) => lacking === undefined))("the demo plugin on $name", (offer) => {
  let runtime: RealRuntime;
  let node: DeviceNode;
  let plugin: Awaited<ReturnType<DeviceNode["demo"]>>;

  beforeAll(async () => {
    runtime = await offer.start("devices");
    node = await DeviceNode.create(runtime);
    await node.start();
    plugin = await node.demo();
    await until("both devices are healthy", async () => (await node.healths(DEMO)).join() === "Healthy,Healthy");
    for (const name of ["one", "two"]) {
      await node.pod(name, DEMO);
      await until(`pod ${name} runs`, () => node.isRunning(name));
    }
  }, LIMIT);

  afterAll(async () => {
    await node?.remove();
    await runtime?.stop();
  }, LIMIT);

  const ids = async (): Promise<readonly (string | undefined)[]> =>
    Promise.all(
      ["one", "two"].map(async (name) => (await node.place.pod(name))?.status.containerStatuses?.[0]?.containerID),
    );

  test(
    "a plugin that is killed leaves its pods running; when it is back, all is as before",
    async () => {
      const before = await ids();
      plugin.kill();
      await until(
        "its devices are out of reach",
        async () => (await node.healths(DEMO)).join() === "PluginGone,PluginGone",
      );
      expect(await ids()).toEqual(before);
      plugin = await node.demo();
      await until("both devices are healthy", async () => (await node.healths(DEMO)).join() === "Healthy,Healthy");
      expect(await node.owners(DEMO)).toEqual({ "null-0": "one-node", "null-1": "two-node" });
    },
    LIMIT,
  );

  test(
    "a pod whose plugin is not back yet waits for it after a restart of the agent, and is not refused",
    async () => {
      await node.place.stop();
      plugin.kill();
      await node.place.removeManifest("two.yaml");
      await node.pod("five", DEMO);
      await node.start();
      await until("it waits", async () => {
        const pod = await node.place.pod("five");
        expect(pod?.status.phase ?? "Pending").toBe("Pending");
        return pod !== undefined;
      });
      plugin = await node.demo();
      await until("it runs", () => node.isRunning("five"));
      expect(await node.owners(DEMO)).toEqual({ "null-0": "one-node", "null-1": "five-node" });
    },
    LIMIT,
  );

  test(
    "a damaged checkpoint is moved aside; running pods keep their devices",
    async () => {
      const before = await ids();
      await node.place.kill();
      await writeFile(path.join(node.folder, "kubelet_internal_checkpoint"), '{"Data":');
      await node.pod("six", DEMO);
      await node.start();
      expect((await node.failed("six")).reason).toMatch(/UnexpectedAdmissionError|OutOf/);
      expect((await ids())[0]).toBe(before[0]);
      await until("both devices have their owners", async () => {
        const owners = await node.owners(DEMO);
        return owners["null-0"] === "one-node" && owners["null-1"] === "five-node";
      });
      expect((await readdir(node.folder)).join()).toMatch(/kubelet_internal_checkpoint\.corrupt-/);
    },
    LIMIT,
  );
});
