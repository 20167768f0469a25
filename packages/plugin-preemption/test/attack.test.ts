import { test } from "@jest/globals";
import { startNode } from "./node.js";

test.each(["-1", "-500m", "1e", "", "NaN", "0x10", "1 Gi", "٣", "1".repeat(300)])("cpu %j", async (cpu) => {
  const agent = await startNode();
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "crit" }, spec: { containers: [{ name: "a", image: "app:1", resources: { requests: { cpu } } }] } };
  const done = agent.apply(JSON.stringify(pod));
  console.log(cpu, await done.then(() => "taken", (e) => e.message));
});
