// Hours of a node in virtual time: the whole core and hooklet's plugins on simulated containers, with the soak's crashing and changing
// pods and its probes. Tells how large the heap is after a collection, an hour at a time: whether it is flat once all that is bounded
// (events, decisions) is full, which a soak of minutes cannot tell.
//   pnpm build && node --expose-gc scripts/soak/hours.mjs [HOURS [PART OF THE PODS]]
import { createHash } from "node:crypto";
import { SimulatedRuntime, startTestAgent, VirtualClock } from "../../packages/testkit/dist/index.js";
import { BASES, manifest, pods } from "./pods.mjs";

const HOUR = 3_600_000;
/** Milliseconds between two changes of a pod, as in a soak. */
const CHANGE = 6_000;
const PLUGINS = ["imagegc", "devices", "preemption", "probe"];

if (globalThis.gc === undefined) throw new Error("expected node --expose-gc, found no collection to ask for");
const [hours, scale] = [Number(process.argv[2] ?? 8), Number(process.argv[3] ?? 1)];
const clock = new VirtualClock();
const runtime = new SimulatedRuntime({ clock });
runtime.addImage({ id: "sha256:app", names: ["app:1"], size: 1 });
const all = pods(scale, BASES.process);
for (const { kind, name, at } of all) {
  if (kind === "crashing")
    runtime.script({ pod: name }, (process) => process.after((2 + (at % 7)) * 1_000, () => process.exit(3)));
  if (kind === "finished") runtime.script({ pod: name }, (process) => process.exit(0));
}

/** As its source would hand it over: a changed pod is another one. */
function text(pod, round) {
  const whole = JSON.parse(manifest(pod, "app:1", round));
  whole.metadata.uid = createHash("md5").update(`${pod.name} ${round}`).digest("hex");
  return JSON.stringify(whole);
}

const packages = await Promise.all(PLUGINS.map((name) => import(`../../packages/plugin-${name}/dist/index.js`)));
const agent = await startTestAgent({
  clock,
  runtime,
  node: { maxPods: 200, capacity: { cpu: "64", memory: "64Gi" } },
  plugins: packages.map(({ default: plugin }) => plugin),
  keep: true,
});
for (const pod of all) await agent.apply(text(pod, 0));
const changing = all.filter(({ kind }) => kind === "changing");
const rows = [];
let round = 0;
for (let hour = 1; hour <= hours; hour += 1) {
  for (const end = clock.monotonic() + HOUR; clock.monotonic() < end; ) {
    round += 1;
    await agent.apply(text(changing[round % changing.length], round));
    await agent.advance(CHANGE);
  }
  // The test kit's own memory.
  agent.log.length = 0;
  await new Promise((resolve) => setImmediate(resolve));
  gc();
  gc();
  const { heapUsed } = process.memoryUsage();
  rows.push({
    hour,
    "heap MiB": Math.round((heapUsed / 2 ** 20) * 100) / 100,
    pods: agent.api.pods().length,
    events: agent.api.events().length,
  });
  console.error(JSON.stringify(rows.at(-1)));
}
console.log(`${all.length} pods, ${round} changes`);
console.table(rows);
await agent.stop();
