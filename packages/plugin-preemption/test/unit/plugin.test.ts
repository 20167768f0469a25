import { describePlugin } from "@hooklet/testkit";
import plugin from "../../src/index.js";
import { burstable, critical } from "./pods.js";

describePlugin("preemption", {
  plugin,
  options: { victims: "least-disruption", verify: true },
  badOptions: [
    { name: "an unknown strategy", options: { victims: "biggest" }, field: "victims" },
    { name: "a verify that is no boolean", options: { verify: "yes" }, field: "verify" },
    {
      name: "options of a strategy that has none",
      options: { victims: { use: "kubelet", options: { all: true } } },
      field: "victims.options.all",
    },
  ],
  pods: [burstable("ordinary", { cpu: "1" }), critical("critical", { cpu: "1" })],
});
