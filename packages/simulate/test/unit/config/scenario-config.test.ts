import { expect, test } from "@jest/globals";
import { loadedFiles } from "../../../src/config/scenario-config.js";

const plugin = (file: string, written?: object) => ({ file, written }) as never;

test("what a configuration loads: plugins, and strategies from where the rc file or else the scenario lies", () => {
  const plugins = [
    plugin("/home/ada/owners/index.js"),
    plugin("@hooklet/plugin-imagegc", { order: { use: "./order.js", options: {} }, imageMinimumGCAge: "5m" }),
    plugin("@hooklet/plugin-eviction", { ranking: { use: "team-ranking" } }),
    plugin("@hooklet/plugin-preemption", { victims: "kubelet" }),
  ];
  const loads = (order: string) => [
    "/home/ada/owners/index.js",
    "@hooklet/plugin-imagegc",
    order,
    "@hooklet/plugin-eviction",
    "team-ranking",
    "@hooklet/plugin-preemption",
  ];
  expect(loadedFiles({ plugins }, "/home/ada/s/scenario.yaml")).toEqual(loads("/home/ada/s/order.js"));
  const file = "/etc/hooklet/.hookletrc.yaml";
  expect(loadedFiles({ plugins, file }, "/home/ada/s/scenario.yaml")).toEqual(loads("/etc/hooklet/order.js"));
});
