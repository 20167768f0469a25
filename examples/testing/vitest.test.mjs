/** With vitest: npx vitest run vitest.test.mjs */
import { fileURLToPath } from "node:url";
import { aPod, describePlugin, startTestAgent } from "@hooklet/testkit";
import { expect, test } from "vitest";
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

  expect(agent.pod("lost").status?.reason).toBe("NoOwner");
  expect(agent.pod("young").status?.reason).toBe("Preempting");
  expect(agent.pod("old").status?.phase).toBe("Running");
});

describePlugin("owners", {
  plugin: owners,
  options: { label: "team" },
  badOptions: [{ name: "a label that is no text", options: { label: 1 }, field: "label" }],
  pods: [aPod({ labels })],
});
