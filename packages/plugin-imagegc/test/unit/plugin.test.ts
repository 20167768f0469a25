import { aPod, describePlugin } from "@hooklet/testkit";
import plugin from "../../src/index.js";

describePlugin("imagegc", {
  plugin,
  options: { order: "largest-first", protect: ["registry.example/*"] },
  badOptions: [
    { name: "an unknown order", options: { order: "newest" }, field: "order" },
    {
      name: "a threshold above 100",
      options: { imageGCHighThresholdPercent: 101 },
      field: "imageGCHighThresholdPercent",
    },
    {
      name: "a low mark above the high one",
      options: { imageGCLowThresholdPercent: 90 },
      field: "imageGCLowThresholdPercent",
    },
    { name: "an age that is none", options: { imageMinimumGCAge: "soon" }, field: "imageMinimumGCAge" },
  ],
  pods: [aPod({ name: "web" }), aPod({ name: "db", containers: [{ image: "db:1" }] })],
});
