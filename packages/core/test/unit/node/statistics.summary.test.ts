import { expect, test } from "@jest/globals";
import { cpuAndMemoryOnly } from "../../../src/node/statistics.js";
import type { NodeStatistics } from "../../../src/plugin/contract/statistics.js";

const time = "2026-11-22T10:00:00Z";
const cpu = { time, usageNanoCores: 5 };
const memory = { time, workingSetBytes: 7 };
const swap = { time, swapUsageBytes: 3 };
const fs = { time, availableBytes: 9 };
const used = { cpu, memory, swap };
const rest = { rootfs: fs, logs: fs, network: {}, runtime: {}, rlimit: {}, fs };
const podRef = { name: "web", namespace: "default", uid: "u" };

// GET /stats/summary?only_cpu_and_memory=true of a kubelet.
test("with only_cpu_and_memory a summary has processors, memory and swap, of node, pods and containers alike", () => {
  const container = { name: "main", startTime: time, ...used };
  const whole = {
    node: { nodeName: "node1", startTime: time, ...used, ...rest, systemContainers: [{ ...container, ...rest }] },
    pods: [{ podRef, startTime: time, ...used, ...rest, volume: [], containers: [{ ...container, ...rest }] }],
  };
  expect(cpuAndMemoryOnly(whole as unknown as NodeStatistics)).toEqual({
    node: { nodeName: "node1", startTime: time, ...used, systemContainers: [container] },
    pods: [{ podRef, startTime: time, ...used, containers: [container] }],
  });
});

test("what is not known is left out", () => {
  const bare = {
    node: { nodeName: "node1", startTime: time },
    pods: [{ podRef, startTime: time, containers: [{ name: "main", startTime: time }] }],
  };
  const keys = (value: object): readonly string[] => Object.keys(value).sort();
  const { node, pods } = cpuAndMemoryOnly(bare as unknown as NodeStatistics);
  expect(keys(node)).toEqual(["nodeName", "startTime"]);
  expect(pods.map(keys)).toEqual([["containers", "podRef", "startTime"]]);
  expect(pods.flatMap(({ containers }) => containers.map(keys))).toEqual([["name", "startTime"]]);
});
