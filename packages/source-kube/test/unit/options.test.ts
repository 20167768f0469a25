/** The options of `sources.kube`: their defaults, and what is out of their bounds. */
import { expect, test } from "@jest/globals";
import { options } from "../../src/options.js";

const given = (more: object) => options.safeParse({ kubeconfig: "k", ...more }).success;

test("without a word they are the kubelet's", () => {
  expect(options.parse({ kubeconfig: "k" })).toEqual({
    kubeconfig: "k",
    rotateCertificates: false,
    serverTLSBootstrap: false,
    registerNode: true,
    nodeStatusUpdateFrequency: 10,
    nodeStatusReportFrequency: 300,
    nodeLeaseDurationSeconds: 40,
    kubeAPIQPS: 50,
    kubeAPIBurst: 100,
    eventRecordQPS: 50,
    eventBurst: 100,
  });
});

test.each<[option: string, taken: readonly unknown[], refused: readonly unknown[]]>([
  ["kubeconfig", ["k", "k".repeat(4096)], ["", "k".repeat(4097), 1, undefined]],
  ["bootstrapKubeconfig", ["b"], [""]],
  ["certDirectory", ["c"], [""]],
  ["rotateCertificates", [true, false], ["true"]],
  ["serverTLSBootstrap", [true], [1]],
  ["registerNode", [false], [0]],
  ["providerID", ["", "p".repeat(1024)], ["p".repeat(1025)]],
  ["nodeStatusUpdateFrequency", ["1s", "1h"], ["999ms", "1h1s"]],
  ["nodeStatusReportFrequency", ["1s", "24h"], ["0s", "24h1s"]],
  ["nodeLeaseDurationSeconds", [4, 3_600], [3, 3_601, 4.5]],
  ["kubeAPIQPS", [0.1, 100_000], [0, 100_001]],
  ["kubeAPIBurst", [1, 100_000], [0, 100_001, 1.5]],
  ["eventRecordQPS", [0.1, 100_000], [0, 100_001]],
  ["eventBurst", [1, 100_000], [0, 100_001, 1.5]],
  ["kubeconfg", [], ["k"]],
])("%s takes %j, and refuses %j", (option, taken, refused) => {
  expect(taken.map((value) => given({ [option]: value }))).toEqual(taken.map(() => true));
  expect(refused.map((value) => given({ [option]: value }))).toEqual(refused.map(() => false));
});
