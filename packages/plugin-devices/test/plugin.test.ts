import { aContainer, aPod, describePlugin, describeStrategy } from "@hooklet/testkit";
import { createDevicesPlugin } from "../src/plugin.js";
import { FakeIo } from "./fake-io.js";

describePlugin("devices", {
  plugin: createDevicesPlugin(() => new FakeIo()),
  badOptions: [
    { name: "an unknown policy", options: { topologyManagerPolicy: "strict" }, field: "topologyManagerPolicy" },
    { name: "an unknown strategy", options: { allocation: "random" }, field: "allocation" },
    { name: "a relative folder", options: { devicePluginDirectory: "plugins" }, field: "devicePluginDirectory" },
    { name: "an endless wait", options: { waitForPlugins: "1h" }, field: "waitForPlugins" },
  ],
  pods: [aPod({ containers: [aContainer({ name: "main" })] })],
});

void describeStrategy;
