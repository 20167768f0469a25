import { expect, test } from "@jest/globals";
import { withoutDefaults } from "../../../../src/commands/check/kubelet-fields.js";

test.each([
  "port",
  "maxPods",
  "maxOpenFiles",
  "nodeLeaseDurationSeconds",
  "registryBurst",
  "eventBurst",
  "kubeAPIBurst",
])("%s: 0 is the kubelet's default as well, not none at all", (field) => {
  expect(withoutDefaults({ [field]: 0, registryPullQPS: 0 })).toEqual({ registryPullQPS: 0 });
  expect(withoutDefaults({ [field]: 1 })).toEqual({ [field]: 1 });
});

test("containerLogMonitorInterval: 0s is said, for only an absent one gets the kubelet's default", () => {
  expect(withoutDefaults({ containerLogMonitorInterval: "0s" })).toEqual({ containerLogMonitorInterval: "0s" });
});
