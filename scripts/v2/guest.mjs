// Runs inside the guest: an agent on the process runtime, and what the kernel's cgroup v2 makes of its pods.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import os from "node:os";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { until } from "../machine.mjs";

const HOOKLET = "/hooklet/packages/hooklet/bin/hooklet.js";
const SOCKET = "/var/lib/hooklet/hooklet.sock";
const CGROUPS = "/sys/fs/cgroup";
const PIDS_LIMIT = 64;

const run = promisify(execFile);
const cli = async (...words) => (await run(process.execPath, [HOOKLET, ...words], { maxBuffer: 2 ** 26 })).stdout;

/** Over the control socket: starting the command line takes long where there is no KVM. */
function ask(path, { method = "GET", body } = {}) {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { "content-type": "application/yaml" };
    // No connection is used twice: the agent closes those that rest.
    const call = request({ socketPath: SOCKET, path, method, headers, agent: false }, async (response) => {
      try {
        const answer = await text(response);
        if (response.statusCode === 200) resolve(JSON.parse(answer));
        else reject(new Error(`${method} ${path}: ${response.statusCode} ${answer}`));
      } catch (error) {
        reject(error);
      }
    });
    call.once("error", reject);
    call.end(body);
  });
}

const read = (cgroup, file) => readFileSync(`${CGROUPS}${cgroup}/${file}`, "utf8").trim();
const stat = (cgroup, file, key) => Number(new RegExp(`^${key} (\\d+)$`, "m").exec(read(cgroup, file))?.[1]);

const IDLE = 'trap "exit 0" TERM; while :; do sleep 0.2; done';
const BUSY = "while :; do :; done";
const both = (cpu, memory) => ({ requests: { cpu, memory }, limits: { cpu, memory } });

async function apply(pods) {
  const texts = Object.entries(pods).map(([name, { resources = {}, script = IDLE, spec = {} }]) => {
    const container = { name: "main", image: "host", command: ["sh", "-c", script], resources };
    const whole = { dnsPolicy: "Default", terminationGracePeriodSeconds: 1, containers: [container], ...spec };
    return JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name }, spec: whole });
  });
  await ask("/apply?where=guest", { method: "POST", body: texts.join("\n---\n") });
}

const pods = async () => (await ask("/pods")).items;
const events = async () =>
  (await ask("/events")).items.map(({ reason, message }) => `${reason}: ${message}`).join("\n");

async function pod(name) {
  const found = (await pods()).find(({ metadata }) => metadata.name === name);
  assert.ok(found, `there is no pod ${name}`);
  return found;
}

async function running(...names) {
  for (const name of names) await until(`${name} runs`, async () => (await pod(name)).status.phase === "Running");
}

async function places(name) {
  const { metadata, status } = await pod(name);
  const roots = ["", "/burstable", "/besteffort"].map((qos) => `/kubepods${qos}/pod${metadata.uid}`);
  const own = roots.find((place) => existsSync(CGROUPS + place));
  assert.ok(own, `there is no cgroup of pod ${name}`);
  return { own, container: `${own}/${status.containerStatuses[0].containerID.replace(/^.*:\/\//, "")}` };
}

const gone = async (...names) => {
  for (const name of names) await ask(`/pods/default/${name}`, { method: "DELETE" });
  const going = new Set(names);
  await until("the pods are gone", async () => (await pods()).every(({ metadata }) => !going.has(metadata.name)));
};

/** Cores over some seconds, and the share of the quota's periods in which it was held back. */
async function used(cgroup, seconds) {
  const keys = ["usage_usec", "nr_periods", "nr_throttled"];
  const before = keys.map((key) => stat(cgroup, "cpu.stat", key));
  const began = performance.now();
  await sleep(seconds * 1000);
  const [micros, periods, throttled] = keys.map((key, index) => stat(cgroup, "cpu.stat", key) - before[index]);
  return { cores: micros / 1000 / (performance.now() - began), heldBack: throttled / Math.max(1, periods) };
}

async function expectCores(cgroup, limit) {
  for (let attempt = 0; attempt < 10; attempt++) {
    const { cores, heldBack } = await used(cgroup, 3);
    assert.ok(cores < limit * 1.1, `${cores} cores of ${limit}`);
    if (heldBack < 0.95) continue;
    assert.ok(cores > limit * 0.9, `${cores} cores of ${limit}`);
    return;
  }
  throw new Error(`never held back in 95 % of the periods: the pod did not get as far as its ${limit} cores`);
}

/** As the kubelet converts them, `weights: linear`. */
const weight = (milli) => {
  const shares = milli === 0 ? 2 : Math.max(2, Math.trunc((milli * 1024) / 1000));
  return String(1 + Math.trunc(((shares - 2) * 9999) / 262142));
};
const MIB = 2 ** 20;

const stories = {
  async "the kernel has cgroup v2 alone, and the agent says so"() {
    assert.match(readFileSync("/proc/self/mountinfo", "utf8"), / - cgroup2 /);
    assert.doesNotMatch(readFileSync("/proc/self/mountinfo", "utf8"), / - cgroup /);
    const page = await (await fetch("http://127.0.0.1:10248/metrics")).text();
    assert.match(page, /^kubelet_cgroup_version 2$/m);
  },

  async "three pods of three classes: every value is in its file, at node, QoS, pod and container level"() {
    const burstable = { requests: { cpu: "250m", memory: "64Mi" }, limits: { cpu: "500m", memory: "128Mi" } };
    await apply({ guaranteed: { resources: both("1", "256Mi") }, burstable: { resources: burstable }, besteffort: {} });
    await running("guaranteed", "burstable", "besteffort");
    const memory = Math.floor(os.totalmem() / 4096) * 4096;
    const node = { "cpu.weight": weight(os.cpus().length * 1000), "memory.max": String(memory) };
    const wanted = {
      "/kubepods": node,
      "/kubepods/burstable": { "cpu.weight": weight(250) },
      "/kubepods/besteffort": { "cpu.weight": weight(0) },
    };
    const ofPod = async (name, files) => {
      const { own, container } = await places(name);
      wanted[own] = { ...files, "pids.max": String(PIDS_LIMIT) };
      wanted[container] = { ...files, "memory.oom.group": "1" };
    };
    const limits = (cpu, quota, bytes) => ({
      "cpu.weight": weight(cpu),
      "cpu.max": `${quota} 100000`,
      "memory.max": String(bytes),
    });
    await ofPod("guaranteed", limits(1000, "100000", 256 * MIB));
    await ofPod("burstable", limits(250, "50000", 128 * MIB));
    await ofPod("besteffort", { ...limits(0, "max", 0), "memory.max": "max" });
    const found = Object.fromEntries(
      Object.entries(wanted).map(([place, files]) => [
        place,
        Object.fromEntries(Object.keys(files).map((file) => [file, read(place, file)])),
      ]),
    );
    assert.deepEqual(found, wanted);
    const { rows } = await ask("/view?name=cgroups");
    for (const { cgroup, state } of rows) assert.equal(state, "ok", cgroup);
    assert.ok(rows.length >= 6, `${rows.length} cgroups`);
  },

  async "statistics come from the same files, with the kernel's pressure (PSI)"() {
    const guaranteed = async () =>
      (await ask("/stats/summary")).pods.find(({ podRef }) => podRef.name === "guaranteed");
    // The first reader does not wait for disks that take long.
    await until("its disk is measured", async () => ((await guaranteed())?.["ephemeral-storage"]?.usedBytes ?? 0) > 0);
    const one = await guaranteed();
    assert.ok(one.memory.workingSetBytes > 0 && one.cpu.usageCoreNanoSeconds > 0);
    assert.equal(typeof one.containers[0].memory.psi.some.total, "number");
    const lines = (await cli("top", "pods", "--no-headers")).trim().split("\n");
    assert.deepEqual(lines.map((line) => line.split(" ")[0]).sort(), ["besteffort", "burstable", "guaranteed"]);
    await gone("guaranteed", "burstable", "besteffort");
  },

  async "a busy pod of 200m gets a fifth of a core"() {
    await apply({ hog: { resources: { limits: { cpu: "200m" } }, script: BUSY } });
    await running("hog");
    await expectCores((await places("hog")).own, 0.2);
    await gone("hog");
  },

  async "a pod that takes more memory than its limit is killed, alone, and reported with the process and its pid"() {
    await apply({
      neighbour: { resources: { limits: { memory: "64Mi" } } },
      greedy: { resources: { limits: { memory: "32Mi" } }, script: "tail /dev/zero", spec: { restartPolicy: "Never" } },
    });
    await until("the greedy pod fails", async () => (await pod("greedy")).status.phase === "Failed");
    const { terminated } = (await pod("greedy")).status.containerStatuses[0].state;
    assert.deepEqual([terminated.reason, terminated.exitCode], ["OOMKilled", 137]);
    await running("neighbour");
    assert.equal((await pod("neighbour")).status.containerStatuses[0].restartCount, 0);
    await until("it is reported", async () =>
      /OOMKilling: Memory cgroup OOM encountered, victim process: tail, pid: \d+/.test(await events()),
    );
    await gone("neighbour", "greedy");
  },

  async "a fork bomb stops at podPidsLimit"() {
    await apply({ bomb: { script: "(while :; do sleep 60 & done) 2>/dev/null; sleep 1000" } });
    await running("bomb");
    const { own } = await places("bomb");
    const current = () => Number(read(own, "pids.current"));
    await until("it has all that it may have", async () => current() >= PIDS_LIMIT - 4);
    for (let look = 0; look < 20; look++) {
      assert.ok(current() <= PIDS_LIMIT, `${current()} processes`);
      await sleep(50);
    }
    await gone("bomb");
    await until("nothing is left of it", async () => !existsSync(CGROUPS + own));
  },

  async "a running pod is resized from 200m to 500m and back without a restart, and gets what it asks for"() {
    const hog = (cpu) => ({ resized: { resources: { limits: { cpu } }, script: BUSY } });
    await apply(hog("200m"));
    await running("resized");
    const { own, container } = await places("resized");
    const { uid } = (await pod("resized")).metadata;
    for (const [cpu, quota, cores] of [
      ["500m", "50000 100000", 0.5],
      ["200m", "20000 100000", 0.2],
    ]) {
      await apply(hog(cpu));
      await until(`it has ${cpu}`, async () => read(container, "cpu.max") === quota);
      await until(`its pod has ${cpu}`, async () => read(own, "cpu.max") === quota);
      await expectCores(own, cores);
    }
    const after = await pod("resized");
    assert.deepEqual([after.metadata.uid, after.status.containerStatuses[0].restartCount], [uid, 0]);
    await gone("resized");
  },

  async "two busy pods of 100m and 300m share one core one to three"() {
    writeFileSync(`${CGROUPS}/kubepods/burstable/cpuset.cpus`, "0");
    const busy = (cpu) => ({ resources: { requests: { cpu } }, script: BUSY });
    await apply({ less: busy("100m"), more: busy("300m") });
    await running("less", "more");
    const [less, more] = [await places("less"), await places("more")];
    const [a, b] = await Promise.all([used(less.own, 8), used(more.own, 8)]);
    await gone("less", "more");
    writeFileSync(`${CGROUPS}/kubepods/burstable/cpuset.cpus`, "\n");
    const ratio = b.cores / a.cores;
    assert.ok(ratio > 3 * 0.85 && ratio < 3 * 1.15, `1 : ${ratio}`);
  },

  async "what others wrote, moved and deleted is right again within a minute, with events"() {
    const one = { resources: both("300m", "64Mi") };
    await apply({ kept: one, moved: one, robbed: one });
    await running("kept", "moved", "robbed");
    const [kept, moved, robbed] = [await places("kept"), await places("moved"), await places("robbed")];
    const [first] = procs(moved.container);
    const [last] = procs(robbed.container);
    writeFileSync(`${CGROUPS}${kept.own}/cpu.max`, "max");
    writeFileSync(`${CGROUPS}/cgroup.procs`, first);
    // What is in it may fork meanwhile.
    await until("the cgroup is deleted", async () => emptied(robbed.container) && emptied(robbed.own));
    await until("the quota is back", async () => read(kept.own, "cpu.max") === "30000 100000");
    await until("the process is back", async () => procs(moved.container).includes(first));
    await until("the cgroup is back", async () => procs(robbed.container).includes(last));
    for (const place of [robbed.own, robbed.container]) {
      assert.deepEqual([read(place, "cpu.max"), read(place, "memory.max")], ["30000 100000", String(64 * MIB)]);
    }
    const recorded = await events();
    assert.match(recorded, /CgroupRepaired: cpu\.max of cgroup .* was max 100000, set to 30000 100000 again/);
    assert.match(recorded, /CgroupRepaired: process \d+ \(.*\) of container main was moved to \/, brought back to/);
    assert.ok(recorded.includes(`CgroupRepaired: cgroup ${robbed.own} was gone and was made again`), recorded);
    assert.ok(
      recorded.includes(`CgroupRepaired: cgroup ${robbed.container} of container main was gone and was made again`),
    );
    await gone("kept", "moved", "robbed");
  },
};

function procs(cgroup) {
  return existsSync(CGROUPS + cgroup) ? read(cgroup, "cgroup.procs").split("\n") : [];
}

/** Moves what is in a cgroup to the root and removes it with all below; false while a process forks in it. */
function emptied(cgroup) {
  const folder = CGROUPS + cgroup;
  if (!existsSync(folder)) return true;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory() && !emptied(`${cgroup}/${entry.name}`)) return false;
  }
  try {
    for (const pid of procs(cgroup)) if (pid !== "") writeFileSync(`${CGROUPS}/cgroup.procs`, pid);
    rmdirSync(folder);
    return true;
  } catch (error) {
    if (error.code === "ESRCH" || error.code === "EBUSY") return false;
    throw error;
  }
}

async function startAgent() {
  const plugins = [["cgroups", { podPidsLimit: PIDS_LIMIT }]];
  const rc = { node: { name: "guest", evictionHard: {} }, runtime: { use: "process" }, plugins };
  writeFileSync("/root/rc.json", JSON.stringify(rc));
  let output = "";
  const agent = spawn(process.execPath, [HOOKLET, "run", "--config", "/root/rc.json"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [agent.stdout, agent.stderr])
    stream.on("data", (text) => (output = (output + text).slice(-20_000)));
  const answers = async () => {
    if (agent.exitCode !== null) throw new Error(`the agent ended: ${output}`);
    return ask("/node").then(
      () => true,
      () => false,
    );
  };
  await until("the agent is ready", answers, { seconds: 240 });
  return { agent, output: () => output };
}

let passed = 0;
let failed = 0;
try {
  const began = performance.now();
  const { agent, output } = await startAgent();
  console.log(`agent ready on ${os.release()} after ${((performance.now() - began) / 1000).toFixed(1)} s`);
  for (const [title, story] of Object.entries(stories)) {
    const at = performance.now();
    try {
      await story();
      passed++;
      console.log(`ok ${title} (${((performance.now() - at) / 1000).toFixed(1)} s)`);
    } catch (error) {
      failed++;
      console.log(`NOT OK ${title}: ${error.stderr ?? ""}${error.stack}`);
      await gone(...(await pods()).map(({ metadata }) => metadata.name));
    }
  }
  if (failed > 0) console.log(`the agent's last words:\n${output()}`);
  agent.kill("SIGTERM");
} catch (error) {
  failed++;
  console.log(`NOT OK the guest: ${error.stack}`);
}
console.log(`${passed} passed, ${failed} failed`);
