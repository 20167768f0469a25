/** What a device plugin needs of a container's plan: CDI devices, each with one owner. */
import { definePlugin } from "@hooklet/core";
import type { ContainerConfig } from "@hooklet/core/host";
import { expect, test } from "@jest/globals";
import { aPod, startTestAgent, type TestAgent } from "../../../src/index.js";

const gives = (name: string, device: string) =>
  definePlugin({
    meta: { name, api: 1 },
    start: ({ hooks }) => hooks.containerStart.tap((plan) => plan.addCdiDevice(device)),
  });

async function node(
  ...plugins: readonly ReturnType<typeof gives>[]
): Promise<{ here: TestAgent; created: ContainerConfig[] }> {
  const here = await startTestAgent({ plugins });
  const created: ContainerConfig[] = [];
  const { runtime } = here;
  const createContainer = runtime.createContainer.bind(runtime);
  runtime.createContainer = (id, config, ...rest) => {
    created.push(config);
    return createContainer(id, config, ...rest);
  };
  await here.apply(aPod({ name: "web" }));
  await here.advance(1_000);
  return { here, created };
}

test("CDI devices of several plugins reach the container in order", async () => {
  const { created } = await node(gives("gpu", "vendor.example/gpu=0"), gives("nic", "other.example/nic=eth1"));
  expect(created.map(({ cdiDevices }) => cdiDevices)).toEqual([["vendor.example/gpu=0", "other.example/nic=eth1"]]);
});

test("two plugins that claim one CDI device: the container is not made, and the error names both", async () => {
  const { here, created } = await node(gives("devices", "vendor.example/gpu=0"), gives("dra", "vendor.example/gpu=0"));
  expect(created).toEqual([]);
  const waiting = here.pod("web").status?.containerStatuses?.[0]?.state?.waiting;
  expect(waiting?.reason).toBe("PreCreateHookError");
  expect(waiting?.message).toContain(
    "Two owners claim CDI device vendor.example/gpu=0 of one container: devices has set it, dra sets it again",
  );
});
