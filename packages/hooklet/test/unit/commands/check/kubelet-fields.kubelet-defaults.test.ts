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

test.each([
  "syncFrequency",
  "fileCheckFrequency",
  "httpCheckFrequency",
  "streamingConnectionIdleTimeout",
  "nodeStatusUpdateFrequency",
  "nodeStatusReportFrequency",
  "imageMinimumGCAge",
  "volumeStatsAggPeriod",
  "cpuManagerReconcilePeriod",
  "runtimeRequestTimeout",
  "evictionPressureTransitionPeriod",
])("%s: 0s is the kubelet's default as well", (field) => {
  expect(withoutDefaults({ [field]: "0s" })).toEqual({});
  expect(withoutDefaults({ [field]: "1s" })).toEqual({ [field]: "1s" });
});

test("fields of authentication, authorization and their webhooks have defaults of their own; other objects stay whole", () => {
  const webhook = { enabled: true, cacheTTL: "0s" };
  const cached = { cacheAuthorizedTTL: "0s", cacheUnauthorizedTTL: "0s" };
  expect(
    withoutDefaults({
      authentication: { webhook, x509: { clientCAFile: "" } },
      authorization: { mode: "Webhook", webhook: cached },
      evictionHard: { port: 0 },
    }),
  ).toEqual({
    authentication: { webhook: { enabled: true }, x509: { clientCAFile: "" } },
    authorization: { mode: "Webhook", webhook: {} },
    evictionHard: { port: 0 },
  });
});

test("an empty name is none, except that of resolv.conf: containers get none then", () => {
  expect(withoutDefaults({ resolvConf: "", tlsCertFile: "", staticPodURL: undefined, taints: null })).toEqual({
    resolvConf: "",
  });
});

test("containerLogMonitorInterval: 0s is said, for only an absent one gets the kubelet's default", () => {
  expect(withoutDefaults({ containerLogMonitorInterval: "0s" })).toEqual({ containerLogMonitorInterval: "0s" });
});
