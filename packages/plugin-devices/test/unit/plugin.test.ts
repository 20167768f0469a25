import type { Container } from "@hooklet/core";
import { aContainer, aPod, bindSeam, describePlugin, describeStrategy } from "@hooklet/testkit";
import { expect } from "@jest/globals";
import { devicesIo } from "../../src/io.js";
import { plugin } from "../../src/plugin.js";
import {
  type AllocationInput,
  type AllocationStrategy,
  allocationFault,
  type Candidate,
} from "../../src/strategies/allocation.js";
import { allocationStrategies } from "../../src/strategies/built-in.js";
import { FakeIo } from "./fake-io.js";

describePlugin("devices", {
  plugin,
  world: [bindSeam(devicesIo, () => new FakeIo())],
  badOptions: [
    { name: "an unknown policy", options: { topologyManagerPolicy: "strict" }, field: "topologyManagerPolicy" },
    { name: "an unknown strategy", options: { allocation: "random" }, field: "allocation" },
    { name: "a relative folder", options: { devicePluginDirectory: "plugins" }, field: "devicePluginDirectory" },
    { name: "an endless wait", options: { waitForPlugins: "1h" }, field: "waitForPlugins" },
  ],
  pods: [aPod({ containers: [aContainer({ name: "main" })] })],
});

const candidates = ["a", "b", "c", "d"].map(
  (id, index): Candidate => ({ id, nodes: [index % 2], health: "Healthy", place: "aligned" }),
);

describeStrategy<AllocationStrategy, AllocationInput, ReturnType<AllocationStrategy>>("devices: allocation", {
  table: allocationStrategies,
  inputs: {
    "some of many": () => inputOf(2),
    "all there are": () => inputOf(4),
    "one must be": () => ({ ...inputOf(2), mustInclude: ["d"] }),
  },
  decide: (strategy, input) => strategy(input),
  legal: (answer, input) => expect(allocationFault(answer, input)).toBeUndefined(),
});

function inputOf(size: number): AllocationInput {
  const pod = aPod({ containers: [aContainer({ name: "main" })] });
  const [container] = pod.spec.containers as [Container];
  const asked = { canAsk: false, preferred: undefined };
  return {
    pod,
    container,
    resource: "vendor.example/gpu",
    size,
    candidates,
    mustInclude: [],
    affinity: [0, 1],
    ...asked,
  };
}
