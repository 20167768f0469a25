// 110 pods on both runtimes with crashes, changes, probes, kill -9 of agent and runtime, a full disk and clock jumps (root, Linux).
//   pnpm soak --minutes N [--runtime process|cri] [--kill-every SECONDS] [--scale PART]
// Ends with a table and with 1 unless all counts are zero. The clock that jumps is the agent's own view of it.
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { must, until } from "./machine.mjs";
import { root } from "./pnpm.mjs";
import { SoakAgent } from "./soak/agent.mjs";
import { KINDS, manifest, markOf, pods } from "./soak/pods.mjs";
import { marks } from "./soak/processes.mjs";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    runtime: { type: "string" },
    "kill-every": { type: "string" },
    scale: { type: "string", default: "1" },
  },
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new Error(`--minutes ${values.minutes}: expected a number above 0`);
const scale = Number(values.scale);
const killEvery = Number(values["kill-every"] ?? Math.max(40, (minutes * 60) / 12));
const runtimes = values.runtime === undefined ? ["process", "cri"] : [values.runtime];
if (marks().size > 0) throw new Error("processes of an earlier soak run still: expected none; end them first");
function containerd(...args) {
  return must(process.execPath, path.join(root, "scripts/containerd.mjs"), ...args, "--name", "soak").trim();
}

async function soak(name) {
  const isCri = name === "cri";
  const runtime = isCri ? { use: "cri", options: { endpoint: `unix://${containerd("start")}` } } : { use: "process" };
  const image = isCri ? "hk.local/busybox:1" : "host";
  const agent = new SoakAgent(runtime);
  try {
    return { runtime: name, minutes, ...(await live(agent, image, isCri)) };
  } catch (error) {
    console.error(`${name}: ${error.stack}`);
    console.error(agent.lastWords());
    throw error;
  } finally {
    await agent.end("SIGINT");
    if (isCri) containerd("stop");
    agent.remove();
  }
}

async function live(agent, image, isCri) {
  const all = pods(scale);
  const steady = all.filter(({ kind }) => kind === "steady" || kind === "probed");
  const changing = all.filter(({ kind }) => kind === "changing");
  for (const pod of all) agent.write(pod.name, manifest(pod, image));
  await agent.start();
  await comes("all pods run", 300, () => steady.every(({ at }) => marks().get(markOf(at)) === 1));
  let first = [];
  await comes("all pods are ready", 120, async () => {
    first = await agent.pods();
    return steady.every((pod) => isReady(find(first, pod)));
  });
  const before = new Map(steady.map((pod) => [pod.name, stateOf(find(first, pod))]));
  const uids = new Set(first.map(({ metadata }) => metadata.uid));
  const samples = [];
  let [doubled, kills, full, jumps, runtimeKills, round] = [0, 0, 0, 0, 0, 0];
  const began = performance.now();
  const end = began + minutes * 60_000;
  let [killAt, diskAt, jumpAt] = [began + killEvery * 1000, began + 15_000, began + 25_000];
  while (performance.now() < end) {
    await pause(2_000);
    round += 1;
    samples.push({ life: kills, ...agent.figures() });
    doubled += [...marks().values()].filter((count) => count > 1).length;
    if (round % 3 === 0) {
      const pod = changing[(round / 3) % changing.length];
      agent.write(pod.name, manifest(pod, image, round));
    }
    const now = performance.now();
    if (now > diskAt) {
      const empty = agent.fillDisk();
      await pause(4_000);
      empty();
      full += 1;
      diskAt = now + 60_000;
    }
    if (now > jumpAt) {
      jumps += 1;
      agent.jump(jumps % 2 === 1 ? 3_600_000 : -7_200_000);
      jumpAt = now + 45_000;
    }
    if (now > killAt) {
      await agent.end("SIGKILL");
      kills += 1;
      if (isCri && kills % 2 === 1) {
        containerd("kill");
        containerd("resume");
        runtimeKills += 1;
      }
      await agent.start();
      killAt = performance.now() + killEvery * 1000;
    }
  }
  agent.jump(0);
  await pause(20_000);
  const after = await agent.pods();
  for (const { metadata } of after) uids.add(metadata.uid);
  const there = marks();
  const lost = steady.filter(({ at }) => !there.has(markOf(at))).length + (all.length - after.length);
  const flaps = steady.filter((pod) => stateOf(find(after, pod)) !== before.get(pod.name)).length;
  await agent.end("SIGINT");
  const left = agent.leftovers([...uids]);
  return {
    pods: all.length,
    kills,
    runtimeKills,
    full,
    jumps,
    lost,
    doubled,
    flaps,
    ...memory(samples),
    ...left,
    processes: marks().size,
  };
}

function find(items, { name }) {
  return items.find(({ metadata }) => metadata.name.startsWith(`${name}-`));
}

function isReady(pod) {
  return pod?.status.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
}

/** What changes when a pod flaps: its container, its restarts, whether it is ready. */
function stateOf(pod) {
  const [container] = pod?.status.containerStatuses ?? [];
  return `${container?.containerID} ${container?.restartCount} ${isReady(pod)}`;
}

/** Slope within lives, once the start of an agent is over; descriptors of the first and the last life at rest. */
function memory(samples) {
  const rested = samples.filter(({ age }) => age > 20);
  const numbers = [...new Set(rested.map(({ life }) => life))];
  const lives = numbers.map((number) => rested.filter(({ life }) => life === number)).filter((life) => life.length > 4);
  const slopes = lives.map((life) => slope(life.map(({ age, rss }) => [age / 3600, rss])));
  const round = (value) => Math.round(value * 10) / 10;
  return {
    "rss MiB": round(rested.at(-1)?.rss ?? Number.NaN),
    "MiB/h": round(slopes.at(-1) ?? Number.NaN),
    "fds first": lives[0]?.at(-1)?.fds,
    "fds last": lives.at(-1)?.at(-1)?.fds,
  };
}

/** Least squares. */
function slope(points) {
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(points.map(([at]) => at)), mean(points.map(([, value]) => value))];
  const spread = points.reduce((sum, [at]) => sum + (at - x) ** 2, 0);
  return points.reduce((sum, [at, value]) => sum + (at - x) * (value - y), 0) / spread;
}

function comes(what, seconds, holds) {
  return until(what, holds, { seconds, every: 1_000, hint: () => `pods: ${JSON.stringify(KINDS)}` });
}

const rows = [];
for (const name of runtimes) rows.push(await soak(name));
console.table(rows);
const counted = ["lost", "doubled", "flaps", "mounts", "cgroups", "files", "processes"];
if (rows.some((row) => counted.some((name) => row[name] !== 0))) process.exitCode = 1;
