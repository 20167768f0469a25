import { expect, test } from "@jest/globals";
import type { LoadedPlugin } from "../../src/plugin/loaded.js";
import type { ContainerConfig } from "../../src/runtime/port.js";
import { TestNode } from "../agent/node.js";
import { manifest, plugin } from "./plugin.js";

const gives = (name: string, device: string): LoadedPlugin =>
  plugin(name, ({ hooks }) => hooks.containerStart.tap((plan) => plan.addCdiDevice(device)));

async function node(...plugins: readonly LoadedPlugin[]): Promise<{ here: TestNode; created: ContainerConfig[] }> {
  const here = new TestNode({ plugins });
  here.runtime.addImage({ id: "sha256:app", names: ["app:1"], size: 1 });
  const created: ContainerConfig[] = [];
  const { runtime } = here;
  const createContainer = runtime.createContainer.bind(runtime);
  runtime.createContainer = (id, config, ...rest) => {
    created.push(config);
    return createContainer(id, config, ...rest);
  };
  await here.start();
  await here.manifest("web.json", manifest("web"));
  await here.clock.advance(1_000);
  return { here, created };
}

test("CDI devices of several plugins reach the container in order", async () => {
  const { created } = await node(gives("gpu", "vendor.example/gpu=0"), gives("nic", "other.example/nic=eth1"));
  expect(created.map(({ cdiDevices }) => cdiDevices)).toEqual([["vendor.example/gpu=0", "other.example/nic=eth1"]]);
});

test("two plugins that claim one CDI device: the container is not made, and the error names both", async () => {
  const { here, created } = await node(gives("devices", "vendor.example/gpu=0"), gives("dra", "vendor.example/gpu=0"));
  expect(created).toEqual([]);
  const waiting = here.status("web").containerStatuses?.[0]?.state?.waiting;
  expect(waiting?.reason).toBe("PreCreateHookError");
  expect(waiting?.message).toContain(
    "Two owners claim CDI device vendor.example/gpu=0 of one container: devices has set it, dra sets it again",
  );
});
