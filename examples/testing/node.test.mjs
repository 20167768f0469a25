/** With Node's own runner: node --test node.test.mjs */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { aPod, describePlugin, startTestAgent } from "@hooklet/testkit";
import owners from "./owners.mjs";

const folder = fileURLToPath(new URL(".", import.meta.url));
const labels = { team: "shop" };

test("on a full node the critical pod takes the place of the youngest, and a pod without an owner is refused", async () => {
  const agent = await startTestAgent({ rc: ".hookletrc.yaml", folder });
  for (const name of ["old", "middle", "young"]) {
    await agent.apply(aPod({ name, labels, containers: [{ requests: { cpu: "1200m" } }] }));
    await agent.waitFor(() => agent.pod(name).status?.phase === "Running");
  }
  await agent.apply(aPod({ name: "lost" }));
  const spec = { priorityClassName: "system-node-critical" };
  await agent.apply(aPod({ name: "critical", labels, source: "file", spec, containers: [{ requests: { cpu: "1" } }] }));
  await agent.waitFor(() => agent.pod("critical").status?.phase === "Running");

  assert.equal(agent.pod("lost").status?.reason, "NoOwner");
  assert.equal(agent.pod("young").status?.reason, "Preempting");
  assert.equal(agent.pod("old").status?.phase, "Running");
});

describePlugin("owners", {
  plugin: owners,
  options: { label: "team" },
  badOptions: [{ name: "a label that is no text", options: { label: 1 }, field: "label" }],
  pods: [aPod({ labels })],
});
