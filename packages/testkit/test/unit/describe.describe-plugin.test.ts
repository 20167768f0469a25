import { definePlugin } from "@hooklet/core";
import { aPod } from "../../src/builders.js";
import { describePlugin } from "../../src/describe.js";
import { restartCounter } from "./fixtures/restart-counter.js";

describePlugin("that taps nothing", {
  plugin: definePlugin({ meta: { name: "nothing", api: 1 }, options: (z) => z.object({}), start() {} }),
  badOptions: [],
});

describePlugin("that taps everything, keeps state and calls the runtime", {
  plugin: restartCounter,
  options: { periodSeconds: 30, limits: { perHour: 5 } },
  badOptions: [
    { name: "a period of 0", options: { periodSeconds: 0 }, field: "periodSeconds" },
    { name: "a text inside an object", options: { limits: { perHour: "many" } }, field: "limits.perHour" },
    { name: "a strategy that does not exist", options: { order: "upside-down" }, field: "order" },
  ],
  pods: [aPod({ name: "one" }), aPod({ name: "two", containers: [{ name: "a" }, { name: "b" }] })],
  remembered: (agent) => agent.api.view("starts"),
});
