import { aPod, bindSeam, describePlugin } from "@hooklet/testkit";
import plugin, { logind } from "../../src/index.js";
import { FakeLogind } from "./fake-logind.js";

describePlugin("shutdown", {
  plugin,
  world: [bindSeam(logind, new FakeLogind())],
  options: { shutdownGracePeriod: "30s", shutdownGracePeriodCriticalPods: "10s" },
  badOptions: [
    { name: "a period below a second", options: { shutdownGracePeriod: "500ms" }, field: "shutdownGracePeriod" },
    {
      name: "more for critical pods than for all",
      options: { shutdownGracePeriod: "10s", shutdownGracePeriodCriticalPods: "20s" },
      field: "shutdownGracePeriodCriticalPods",
    },
    {
      name: "both ways at once",
      options: {
        shutdownGracePeriod: "10s",
        shutdownGracePeriodByPodPriority: [{ priority: 0, shutdownGracePeriodSeconds: 1 }],
      },
      field: "shutdownGracePeriodByPodPriority",
    },
    {
      name: "a priority that is none",
      options: { shutdownGracePeriodByPodPriority: [{ priority: 3e9, shutdownGracePeriodSeconds: 1 }] },
      field: "shutdownGracePeriodByPodPriority.0.priority",
    },
  ],
  pods: [aPod({ name: "web" })],
});
