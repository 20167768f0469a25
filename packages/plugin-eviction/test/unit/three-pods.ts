import { expect } from "@jest/globals";
import { bytes, phases, run, startNode } from "./node.js";
import { pod, statisticsOf } from "./pods.js";

export const hungry = pod("hungry", { memory: "100Mi" });
export const modest = pod("modest", { memory: "1Gi" });
export const small = pod("small", { memory: "200Mi" });
const usage = [
  statisticsOf(hungry, { memory: bytes("700Mi"), disk: bytes("1Gi") }),
  statisticsOf(modest, { memory: bytes("900Mi"), disk: bytes("2Gi") }),
  statisticsOf(small, { memory: bytes("100Mi"), disk: bytes("3Gi") }),
];

/** Three pods run; `hungry` alone is over its request. */
export async function threePods(parts: Parameters<typeof startNode>[0] = {}) {
  const { agent, reported } = await startNode(parts);
  reported.pods = usage;
  await run(agent, hungry, modest, small);
  expect(phases(agent, "hungry", "modest", "small")).toBe("Running Running Running");
  return { agent, reported };
}

export const message =
  "The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. " +
  "Container main was using 700Mi, request is 100Mi, has larger consumption of memory. ";
