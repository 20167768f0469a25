/** A strategy that declines, on a live node: the one that docs/reference/plugins.md shows. */
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { root } from "../sources.js";
import { until, Workplace } from "../support/agent.js";

const LIMIT = 300_000;
const WHY = 'strategy "./patient.mjs" evicts no pod: pods that have run for 1 h do not free enough';

let place: Workplace;

beforeAll(async () => {
  place = await Workplace.create();
  const page = await readFile(path.join(root, "docs/reference/plugins.md"), "utf8");
  const [, strategy] = /^```js\n(\/\/ patient\.mjs[\s\S]*?)^```$/m.exec(page) ?? [];
  await writeFile(path.join(place.folder, "patient.mjs"), strategy ?? "");
  const rc = path.join(place.folder, ".hookletrc.json");
  const plugins = [["preemption", { victims: { use: "./patient.mjs" } }]];
  await writeFile(rc, JSON.stringify({ node: { name: "node", capacity: { cpu: "2" }, evictionHard: {} }, plugins }));
  await place.start("--config", rc);
  for (const name of ["a", "b"]) {
    await apply(name);
    await until(`${name} runs`, async () => (await place.pod(name))?.status.phase === "Running");
  }
}, LIMIT);

afterAll(() => place.remove(), LIMIT);

async function apply(name: string, spec: object = {}): Promise<void> {
  const container = { name: "main", image: "host", command: ["sleep", "3600"], resources: { requests: { cpu: "1" } } };
  const containers = [container];
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name }, spec: { containers, ...spec } };
  const file = path.join(place.folder, `${name}.json`);
  await writeFile(file, JSON.stringify(pod));
  const { code, stderr } = await place.hooklet("apply", "-f", file);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
}

test(
  "no pod is evicted for the critical pod, which is rejected with the strategy's reason; explain has it",
  async () => {
    await apply("critical", { priorityClassName: "system-node-critical" });
    await until("it is refused", async () => (await place.pod("critical"))?.status.phase === "Failed");
    expect((await place.pod("critical"))?.status.message).toContain(WHY);
    expect((await place.hooklet("explain", "pod", "critical")).stdout).toContain(WHY);
    for (const name of ["a", "b"]) expect((await place.pod(name))?.status.phase).toBe("Running");
  },
  LIMIT,
);
