import { expect, test } from "@jest/globals";
import { FakeAgent } from "../../../../server/test/fake-agent.js";
import { NOW } from "../../../../server/test/samples.js";
import { nodeObject } from "../../../src/print/node-text.js";

const report = await new FakeAgent().node();

test("a node as Kubernetes shows it: its conditions before Ready, digests of images before tags, amounts as quantities", () => {
  const taint = { key: "dedicated", value: "db", effect: "NoSchedule" as const };
  const times = { lastHeartbeatTime: NOW - 1_000, lastTransitionTime: NOW - 2_000 };
  const pressure = { type: "MemoryPressure", status: "False" as const, reason: "Enough", message: "enough", ...times };
  const image = { id: "sha256:1", repoTags: ["web:1"], repoDigests: ["web@sha256:2"], size: 5, pinned: false };
  const node = { ...report, taints: [taint], conditions: [{ plugin: "eviction", ...pressure }] };
  const { spec, status } = nodeObject(node, [image], undefined, NOW);
  expect(spec).toEqual({ taints: [taint] });
  expect(status).toMatchObject({
    addresses: [
      { type: "InternalIP", address: "10.0.0.1" },
      { type: "Hostname", address: "node1" },
    ],
    capacity: { cpu: "4", memory: "8Gi", pods: "110" },
    allocatable: { cpu: "3900m" },
    images: [{ names: ["web@sha256:2", "web:1"], sizeBytes: 5 }],
    nodeInfo: { containerRuntimeVersion: "fake://1", kubeletVersion: "hooklet-1.2.3", kernelVersion: "6.1.0" },
  });
  expect(status?.conditions?.[0]).toEqual({
    type: "MemoryPressure",
    status: "False",
    reason: "Enough",
    message: "enough",
    lastHeartbeatTime: "2026-11-21T09:59:59Z",
    lastTransitionTime: "2026-11-21T09:59:58Z",
  });
  expect(status?.conditions?.[1]).toMatchObject({ type: "Ready", status: "True", reason: "KubeletReady" });
});

test("a node whose agent is in trouble is not ready and says what is wrong, and since when", () => {
  const { spec, status } = nodeObject(report, [], { message: "runtime cri: down", since: NOW - 5_000 }, NOW);
  expect(spec).toEqual({});
  expect(status?.conditions).toMatchObject([
    {
      type: "Ready",
      status: "False",
      reason: "KubeletNotReady",
      message: "runtime cri: down",
      lastTransitionTime: "2026-11-21T09:59:55Z",
    },
  ]);
});
