import { aPod, describePlugin } from "@hooklet/testkit";
import plugin from "../../src/index.js";

describePlugin("stats", {
  plugin,
  options: { volumeStatsAggPeriod: "10s" },
  badOptions: [
    { name: "a period below a second", options: { volumeStatsAggPeriod: "1ms" }, field: "volumeStatsAggPeriod" },
  ],
  pods: [aPod({ name: "web" })],
});
