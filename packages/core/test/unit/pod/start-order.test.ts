import type { Pod } from "@hooklet/manifest";
import { expect, test } from "@jest/globals";
import { startRank } from "../../../src/pod/start-order.js";

const pod = (priority?: number): Pod => ({
  metadata: { name: "web", namespace: "default", uid: "u1" },
  spec: { containers: [], ...(priority === undefined ? {} : { priority }) },
});
const critical = pod(2_000_000_000);

test.each([
  { name: "a start before a creation", first: startRank(pod(), "start"), second: startRank(pod(), "create") },
  { name: "a creation before a sandbox", first: startRank(pod(), "create"), second: startRank(pod(), "sandbox") },
  {
    name: "a higher priority before a nearer stage",
    first: startRank(pod(5), "sandbox"),
    second: startRank(pod(), "start"),
  },
  { name: "a negative priority last", first: startRank(pod(), "sandbox"), second: startRank(pod(-1), "start") },
  { name: "critical before any other", first: startRank(critical, "sandbox"), second: startRank(pod(1e9), "start") },
])("$name", ({ first, second }) => {
  const i = first.findIndex((value, at) => value !== second[at]);
  expect(first[i]).toBeLessThan(second[i] as number);
});
