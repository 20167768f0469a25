// A plugin of the agent under soak: what is kept by number is full from the start, with entries like those that the soak's pods make.
// A node with so many pods is there after two hours; until then a heap that grows says nothing.
import { randomUUID } from "node:crypto";

/** EVENTS_KEPT and DECISIONS_KEPT of core/src/agent/parts/telemetry.ts. */
const KEPT = 5_000;

/** As a runtime tells them of one pod; the texts are made again for each, as there. */
const TOLD = [
  ["Normal", "Pulled", (name) => `Container image "${name}.local/busybox:1" already present on machine`],
  ["Normal", "Created", (name) => `Container created: ${name}`],
  ["Normal", "Started", (name) => `Container started: ${name}`],
  ["Normal", "Killing", (name) => `Stopping container ${name}`],
];

export default {
  meta: { name: "soak-fill", api: 1, description: "Fills what the agent keeps by number" },
  start(ctx) {
    for (let at = 0; at < KEPT; at += 1) {
      const pod = podOf(at);
      if (at % TOLD.length === 0)
        for (const [type, reason, message] of TOLD) ctx.events.pod(pod, type, reason, message("main"), "main");
      ctx.decisions.record({
        strategy: "fill",
        subject: `pod/${pod.metadata.namespace}/${pod.metadata.name}`,
        considered: [{ candidate: pod.metadata.name, verdict: "filled", why: `is number ${at}` }],
        outcome: "filled",
      });
    }
  },
};

function podOf(at) {
  const metadata = { name: `filler-${at}-soak`, namespace: "default", uid: randomUUID() };
  return { metadata, spec: { containers: [{ name: "main" }] } };
}
