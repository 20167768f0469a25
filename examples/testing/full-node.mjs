/** What the tests for the three runners have in common: a story on a whole node, and what the checks of the plugin need to know. */
import { fileURLToPath } from "node:url";
import { aPod, startTestAgent } from "@hooklet/testkit";
import owners from "./owners.mjs";

const folder = fileURLToPath(new URL(".", import.meta.url));
const labels = { team: "shop" };

/** Three pods fill the node, one has no owner, and a critical one comes last: what became of them. */
export async function fullNode() {
  const agent = await startTestAgent({ rc: ".hookletrc.yaml", folder });
  for (const name of ["old", "middle", "young"]) {
    await agent.apply(aPod({ name, labels, containers: [{ requests: { cpu: "1200m" } }] }));
    await agent.waitFor(() => agent.pod(name).status?.phase === "Running");
  }
  await agent.apply(aPod({ name: "lost" }));
  const spec = { priorityClassName: "system-node-critical" };
  await agent.apply(aPod({ name: "critical", labels, source: "file", spec, containers: [{ requests: { cpu: "1" } }] }));
  await agent.waitFor(() => agent.pod("critical").status?.phase === "Running");

  return {
    lost: agent.pod("lost").status?.reason,
    young: agent.pod("young").status?.reason,
    old: agent.pod("old").status?.phase,
  };
}

export const suite = {
  plugin: owners,
  options: { label: "team" },
  badOptions: [{ name: "a label that is no text", options: { label: 1 }, field: "label" }],
  pods: [aPod({ labels })],
};
