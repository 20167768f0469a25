import { aPod, describePlugin } from "@hooklet/testkit";
import { createProbePlugin } from "../../src/plugin.js";

describePlugin("probe", {
  plugin: createProbePlugin(),
  badOptions: [
    { name: "an unknown host rule", options: { hosts: "all" }, field: "hosts" },
    { name: "an unknown schedule", options: { schedule: "random" }, field: "schedule" },
    { name: "no exec probes at all", options: { maxConcurrent: { exec: 0 } }, field: "maxConcurrent.exec" },
    { name: "no room for any exec probe", options: { maxConcurrent: { exec: 0 } }, field: "maxConcurrent.exec" },
  ],
  pods: [
    aPod({
      containers: [
        {
          livenessProbe: { exec: { command: ["true"] }, periodSeconds: 10 },
          readinessProbe: { exec: { command: ["true"] }, periodSeconds: 5 },
          startupProbe: { exec: { command: ["true"] }, periodSeconds: 1 },
        },
      ],
    }),
    aPod({ name: "failing", containers: [{ readinessProbe: { exec: { command: ["false"] } } }] }),
  ],
});
