import { expect, test } from "@jest/globals";
import { byPodUid } from "../../src/pod-objects.js";
import { Labels, type Sandbox } from "../../src/port.js";

const sandbox = (labels: Sandbox["labels"]): Sandbox => ({
  id: "s1",
  metadata: { name: "web", namespace: "default", uid: "u1", attempt: 0 },
  state: "SANDBOX_READY",
  createdAt: 0n,
  labels,
  annotations: {},
});

test("what has a pod's uid is that pod's", () => {
  const one = sandbox({ [Labels.podUid]: "u1", [Labels.podName]: "web", [Labels.podNamespace]: "default" });
  expect([...byPodUid([one], [])]).toEqual([["u1", { sandboxes: [one], containers: [] }]]);
});

test("objects without labels of Kubernetes belong to other programs", () => {
  expect(byPodUid([sandbox({ app: "web" })], []).size).toBe(0);
});

test.each([
  [Labels.podUid, "../../victim"],
  [Labels.podUid, ".."],
  [Labels.podUid, "."],
  [Labels.podUid, ""],
  [Labels.podUid, "u\n1"],
  [Labels.podUid, "u".repeat(300)],
  [Labels.podName, "/../../../victim"],
  [Labels.podName, "w\u001b[31m"],
  [Labels.podName, 'w"}'],
  [Labels.podName, "w;IP=10.0.0.1"],
  [Labels.podNamespace, "a.b"],
  [Labels.podNamespace, "x/../../victim"],
])(
  "a label %s of %j, which is no name that a source may bring, is no pod's: folders are removed by these names",
  (label, value) => {
    const labels = { [Labels.podUid]: "u1", [Labels.podName]: "web", [Labels.podNamespace]: "default", [label]: value };
    expect(byPodUid([sandbox(labels)], []).size).toBe(0);
  },
);
