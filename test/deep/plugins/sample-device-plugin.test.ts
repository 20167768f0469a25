/**
 * The device plugin of the Kubernetes node tests, built from its Go modules and unchanged, beside the demo plugin. CI runs this
 * wherever Go is installed (.ci/run).
 */
import { decodeCheckpoint } from "@hooklet/plugin-devices/internal";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "../../support/agent.js";
import { DeviceNode, golden, refusal } from "../../support/device-node.js";
import { type RealRuntime, runtimes } from "../../support/runtimes.js";
import { buildSample, lackingSample, SAMPLE } from "./sample-plugin.js";

const DEMO = "demo.hooklet.dev/null";
const LIMIT = 120_000;

const containerd = runtimes.find(({ name }) => name === "real containerd");
const lacking = lackingSample() ?? containerd?.lacking;
if (lacking !== undefined && process.env.HOOKLET_TEST_REQUIRE)
  throw new Error(`HOOKLET_TEST_REQUIRE is set, but ${lacking}`);
if (lacking !== undefined)
  console.error(`SKIPPED: the device plugin of the Kubernetes node tests is not run: ${lacking}`);
const describeSample = lacking === undefined ? describe : describe.skip;

describeSample("the device plugin of the Kubernetes node tests, beside the demo plugin, on real containerd", () => {
  let runtime: RealRuntime;
  let node: DeviceNode;
  let program: string;
  let sample: Awaited<ReturnType<DeviceNode["sample"]>>;

  beforeAll(async () => {
    program = await buildSample();
    runtime = (await containerd?.start("devsampl")) as RealRuntime;
    node = await DeviceNode.create(runtime, { waitForPlugins: "0s" });
    await node.start();
    [sample] = await Promise.all([node.sample(program), node.demo()]);
    await until("all devices are there", async () => {
      const rows = [...(await node.healths(SAMPLE)), ...(await node.healths(DEMO))];
      return rows.join() === "Healthy,Healthy,Healthy,Healthy";
    });
  }, 600_000);

  afterAll(async () => {
    await node?.remove();
    await runtime?.stop();
  }, LIMIT);

  test(
    "does with hooklet what it was seen to do with a kubelet: texts, checkpoint, mounts",
    async () => {
      await node.pod("dev1", SAMPLE);
      await until("the first pod runs", () => node.isRunning("dev1"));
      await node.pod("dev2", SAMPLE);
      await until("the second pod runs", () => node.isRunning("dev2"));
      await node.pod("dev3", SAMPLE);
      expect(await node.failed("dev3")).toMatchObject(refusal(SAMPLE));

      const [ours, theirs] = [await node.checkpoint(), golden.checkpoint_file].map(decodeCheckpoint);
      const bare = (data: typeof ours) =>
        data?.entries.map(({ resource, container, devices, response }) => ({ resource, container, devices, response }));
      const byDevice = (rows: ReturnType<typeof bare>) =>
        rows?.sort((a, b) => (JSON.stringify([...a.devices]) < JSON.stringify([...b.devices]) ? -1 : 1));
      expect(byDevice(bare(ours))).toEqual(byDevice(bare(theirs)));
      expect(ours?.registered.get(SAMPLE)).toEqual(theirs?.registered.get(SAMPLE));

      const owners = await node.owners(SAMPLE);
      expect(Object.values(owners).sort()).toEqual(["dev1-node", "dev2-node"]);
      expect(await node.listed()).toEqual(owners);
      const first = Object.keys(owners).find((id) => owners[id] === "dev1-node");
      expect(await node.exec("dev1-node", "ls", `/tmp/${first}`)).toBe(`/tmp/${first}\n`);
    },
    LIMIT,
  );

  test(
    "goes and comes, as does the agent: pods run on, no device is given twice, and the words are the kubelet's",
    async () => {
      const before = await node.owners(SAMPLE);
      sample.kill();
      await until(
        "its devices are out of reach",
        async () => (await node.healths(SAMPLE)).join() === "PluginGone,PluginGone",
      );
      await node.place.kill();
      await node.start();
      const { reason, message } =
        golden.agent_restarted_while_the_plugin_is_away["pod that had been refused, admitted again"];
      expect(await node.failed("dev3")).toMatchObject({ reason, message });
      expect(await node.isRunning("dev1")).toBe(true);
      sample = await node.sample(program);
      await until("its devices are back", async () => (await node.healths(SAMPLE)).join() === "Healthy,Healthy");
      expect(await node.owners(SAMPLE)).toEqual(before);
    },
    LIMIT,
  );

  test(
    "sees that the agent was restarted, and registers again by itself, as the demo plugin does",
    async () => {
      const before = { ...(await node.owners(SAMPLE)), ...(await node.owners(DEMO)) };
      await node.place.kill();
      await node.start();
      await until("all devices are back", async () => {
        const rows = [...(await node.healths(SAMPLE)), ...(await node.healths(DEMO))];
        return rows.join() === "Healthy,Healthy,Healthy,Healthy";
      });
      expect({ ...(await node.owners(SAMPLE)), ...(await node.owners(DEMO)) }).toEqual(before);
    },
    LIMIT,
  );
});
