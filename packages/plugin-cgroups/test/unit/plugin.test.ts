import { aContainer, aPod, describePlugin } from "@hooklet/testkit";
import plugin from "../../src/index.js";

describePlugin("cgroups", {
  plugin,
  options: { podPidsLimit: 100, weights: "quadratic", cpuCFSQuotaPeriod: "50ms", cgroupRoot: "/agent" },
  badOptions: [
    { name: "an unknown strategy", options: { weights: "cubic" }, field: "weights" },
    { name: "a root that climbs", options: { cgroupRoot: "/a/../b" }, field: "cgroupRoot" },
    { name: "a period of two seconds", options: { cpuCFSQuotaPeriod: "2s" }, field: "cpuCFSQuotaPeriod" },
    { name: "a factor of 0", options: { memoryThrottlingFactor: 0 }, field: "memoryThrottlingFactor" },
    { name: "a reserve that is no percentage", options: { qosReserved: { memory: "half" } }, field: "qosReserved" },
    {
      name: "a reservation without its cgroup",
      options: { enforceNodeAllocatable: ["kube-reserved"] },
      field: "kubeReservedCgroup",
    },
    {
      name: "an option of plugin stats",
      options: { volumeStatsAggPeriod: "2m" },
      field: "volumeStatsAggPeriod",
    },
  ],
  pods: [
    aPod({
      name: "limited",
      containers: [aContainer({ resources: { limits: { cpu: "500m", memory: "64Mi" } } })],
    }),
  ],
});
