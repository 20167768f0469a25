// 110 pods on both runtimes with crashes, changes, probes, kill -9 of agent and runtime, a full disk and clock jumps (root, Linux).
//   pnpm soak --minutes N [--runtime process|cri] [--kill-every SECONDS] [--scale PART] [--samples FILE] [--snapshots SECONDS,SECONDS]
// Two soaks share nothing: one on each runtime may run at the same time.
// Kills end after two fifths of the time: the last life is long enough to tell a leak from a start. Each change of a pod that should not change
// is printed at once, with the agent's log around it. Ends with a table and with 1 unless all counts are zero. The clock that jumps is the
// agent's own view of it. --samples keeps what was measured, a line of JSON each. --snapshots: without kills, and snapshots of the heap at
// these ages, to be compared by scripts/soak/compare.mjs; resident memory says nothing then.
import { appendFileSync } from "node:fs";
import { loadavg } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { tellHelp } from "./help.mjs";
import { must, until } from "./machine.mjs";
import { root } from "./pnpm.mjs";
import { SoakAgent } from "./soak/agent.mjs";
import { Flaps, same, stateOf } from "./soak/flaps.mjs";
import { memory } from "./soak/memory.mjs";
import { BASES, KINDS, manifest, markOf, pods } from "./soak/pods.mjs";
import { marks } from "./soak/processes.mjs";

tellHelp(import.meta.url);

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    runtime: { type: "string" },
    "kill-every": { type: "string" },
    scale: { type: "string", default: "1" },
    samples: { type: "string" },
    snapshots: { type: "string" },
  },
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new Error(`--minutes ${values.minutes}: expected a number above 0`);
const scale = Number(values.scale);
/** Part of the time in which agent and runtime are killed. */
const RESTLESS = 0.4;
const killEvery = Number(values["kill-every"] ?? Math.max(40, (minutes * 60 * RESTLESS) / 12));
const runtimes = values.runtime === undefined ? ["process", "cri"] : [values.runtime];
for (const name of runtimes) {
  if (BASES[name] === undefined) throw new Error(`--runtime ${name}: expected ${Object.keys(BASES).join(" or ")}`);
  if (marks(BASES[name]).size > 0)
    throw new Error(`processes of an earlier soak on ${name} run still: expected none; end them first`);
}
function containerd(...args) {
  return must(process.execPath, path.join(root, "scripts/containerd.mjs"), ...args, "--name", "soak").trim();
}

async function soak(name) {
  const isCri = name === "cri";
  const runtime = isCri ? { use: "cri", options: { endpoint: `unix://${containerd("start")}` } } : { use: "process" };
  const image = isCri ? "hk.local/busybox:1" : "host";
  const agent = new SoakAgent(runtime, values.snapshots);
  try {
    const row = { runtime: name, minutes, ...(await live(agent, image, name)) };
    // The table is printed at the end: what was found stays, whatever the clean-up meets.
    console.log(JSON.stringify(row));
    return row;
  } catch (error) {
    console.error(`${name}: ${error.stack}`);
    console.error(agent.lastLogLines());
    throw error;
  } finally {
    await agent.end("SIGINT");
    try {
      if (isCri) containerd("stop");
      agent.remove();
    } catch (error) {
      console.error(`${name}: the clean-up failed: ${error.message}`);
      process.exitCode = 1;
    }
  }
}

async function live(agent, image, runtime) {
  const isCri = runtime === "cri";
  const base = BASES[runtime];
  const all = pods(scale, base);
  const steady = all.filter(({ kind }) => kind === "steady" || kind === "probed");
  const changing = all.filter(({ kind }) => kind === "changing");
  const states = (items) =>
    new Map(
      steady.map((pod) => [pod.name, find(items, pod)]).map(([name, pod]) => [name, { state: stateOf(pod), pod }]),
    );
  for (const pod of all) agent.write(pod.name, manifest(pod, image));
  await agent.start();
  await comes("all pods run", 900, () => steady.every(({ at }) => marks(base).get(markOf(base, at)) === 1));
  let first = [];
  await comes("all pods are ready", 300, async () => {
    first = await agent.pods();
    return [...states(first).values()].every(({ state }) => state.ready);
  });
  const before = new Map([...states(first)].map(([name, { state }]) => [name, state]));
  const flaps = new Flaps(new Map(before), (from) => agent.logFrom(from));
  const uids = new Set(first.map(({ metadata }) => metadata.uid));
  const samples = [];
  let [doubled, kills, full, jumps, runtimeKills, round] = [0, 0, 0, 0, 0, 0];
  const began = performance.now();
  const end = began + minutes * 60_000;
  const calm = values.snapshots === undefined ? began + minutes * 60_000 * RESTLESS : began;
  let [killAt, diskAt, jumpAt] = [began + killEvery * 1000, began + 15_000, began + 25_000];
  while (performance.now() < end) {
    await pause(2_000);
    round += 1;
    samples.push({ life: kills, load: loadavg()[0], ...agent.figures() });
    doubled += [...marks(base).values()].filter((count) => count > 1).length;
    if (round % 3 === 0) {
      const pod = changing[(round / 3) % changing.length];
      agent.write(pod.name, manifest(pod, image, round));
    }
    if (round % 10 === 0) flaps.look(states(await agent.pods()));
    const now = performance.now();
    if (now > diskAt) {
      const empty = agent.fillDisk();
      flaps.deed("the disk is full for 4 s");
      await pause(4_000);
      empty();
      full += 1;
      diskAt = now + 60_000;
    }
    if (now > jumpAt) {
      jumps += 1;
      agent.jump(jumps % 2 === 1 ? 3_600_000 : -7_200_000);
      flaps.deed("the clock jumps");
      jumpAt = now + 45_000;
    }
    if (now > killAt && now < calm) {
      console.log(`${agent.at()}: killed; ${JSON.stringify(samples.at(-1))}`);
      await agent.end("SIGKILL");
      flaps.deed("the agent is killed");
      kills += 1;
      if (isCri && kills % 2 === 1) {
        containerd("kill");
        containerd("resume");
        flaps.deed("the runtime is killed");
        runtimeKills += 1;
      }
      await agent.start();
      killAt = performance.now() + killEvery * 1000;
    }
  }
  agent.jump(0);
  await pause(20_000);
  const after = await agent.pods();
  flaps.look(states(after));
  for (const { metadata } of after) uids.add(metadata.uid);
  const there = marks(base);
  const lost = [
    ...steady.filter(({ at }) => !there.has(markOf(base, at))).map(({ name }) => `${name}: no process`),
    ...all.filter((pod) => find(after, pod) === undefined).map(({ name }) => `${name}: no pod`),
  ];
  for (const what of lost) console.log(`lost: ${what}`);
  const changed = [...states(after)].filter(([name, { state }]) => !same(state, before.get(name))).length;
  const heaps = agent.heaps();
  if (values.snapshots !== undefined) console.log(`kept: ${agent.keepSnapshots().join(" ")}`);
  if (values.samples !== undefined) appendFileSync(values.samples, lines(samples, heaps));
  await agent.end("SIGINT");
  const left = agent.leftovers([...uids]);
  if (lost.length > 0 || left.cgroups > 0 || left.files > 0) console.log(`the agent's log: ${agent.keepLog()}`);
  return {
    pods: all.length,
    kills,
    runtimeKills,
    full,
    jumps,
    lost: lost.length,
    doubled,
    flaps: Math.max(flaps.restarted, changed),
    unready: flaps.unready,
    ...memory(samples, heaps),
    ...left,
    processes: marks(base).size,
  };
}

function lines(...kinds) {
  return kinds.flatMap((kind) => kind.map((sample) => `${JSON.stringify(sample)}\n`)).join("");
}

function find(items, { name }) {
  return items.find(({ metadata }) => metadata.name.startsWith(`${name}-`));
}

function comes(what, seconds, holds) {
  return until(what, holds, { seconds, every: 1_000, hint: () => `pods: ${JSON.stringify(KINDS)}` });
}

const rows = [];
for (const name of runtimes) rows.push(await soak(name));
console.table(rows);
const counted = ["lost", "doubled", "flaps", "unready", "mounts", "cgroups", "files", "processes"];
if (rows.some((row) => counted.some((name) => row[name] !== 0))) process.exitCode = 1;
