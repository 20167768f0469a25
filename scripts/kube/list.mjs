// Kubernetes' own tests of a node, against hooklet in a cluster of its own. The suite is built from Go modules once (e2e.test, 11 minutes with a cold cache on two busy cores).
//   node scripts/kube.mjs list FILE      a file with one test's name a line
//     -j N                               processes of the suite at a time (default 8)
//     --runtime process                  hooklet's process runtime in place of a private containerd
//     --apart N                          with plain processes: the tests that want port 8080 in so many clusters beside this one, each in a
//                                        network namespace of its own (default 0: one after the other, 35 minutes)
//     --out DIR                          where logs and reports stay (default: a new folder below /tmp)
//   HOOKLET_E2E_IMAGES=DIR               archives of the images that the tests ask for; without it they are pulled
//   HOOKLET_E2E_MIRROR=URL               a registry that stands for all others
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { hooklet, nodeConfig } from "../cluster/agent.mjs";
import { binaries } from "../cluster/binaries.mjs";
import { kubectl, kubectlOk, kubectlWords } from "../cluster/kubectl.mjs";
import { up } from "../cluster/up.mjs";
import { layout as containerdLayout } from "../containerd/config.mjs";
import { holdsWithin, must, removeCgroup, until } from "../machine.mjs";
import { nodeFlags } from "../node-flags.mjs";
import { Apart, RESULTS } from "./apart.mjs";
import { leftOut, portOf } from "./left-out.mjs";
import { focus, namesOf, partsOf, results, shares } from "./shares.mjs";

const NODE = "worker1";

export async function runList(at, words, containerd) {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: {
      j: { type: "string", short: "j", default: "8" },
      runtime: { type: "string", default: "cri" },
      apart: { type: "string", default: "0" },
      out: { type: "string" },
    },
  });
  const [file] = positionals;
  if (file === undefined) throw new Error("list: expected a file of test names");
  if (leftOut[values.runtime] === undefined)
    throw new Error(`--runtime: expected cri or process, found ${values.runtime}`);
  const processes = wholeNumber("-j", values.j, 1);
  const count = wholeNumber("--apart", values.apart, 0);
  const ports = values.runtime === "process" ? portOf : () => undefined;
  const { "e2e.test": suite } = await binaries(["e2e.test"]);
  const all = namesOf(readFileSync(file, "utf8"));
  const isLeftOut = (name) => leftOut[values.runtime].some(({ match }) => name.includes(match));
  const names = all.filter((name) => !isLeftOut(name));
  const out = values.out ?? mkdtempSync(path.join(tmpdir(), "hooklet-list-"));
  mkdirSync(out, { recursive: true });
  const began = performance.now();
  const parts = count === 0 ? [] : partsOf(names, { port: "8080", portOf: ports, count });
  const apart = parts.map((part, i) => new Apart(at.name, i, part, { out, processes }));
  try {
    const here = names.filter((name) => !parts.some((part) => part.includes(name)));
    const found = await runHere(at, containerd, { names: here, suite, out, processes, ports, runtime: values.runtime });
    for (const one of apart) for (const [name, result] of await one.results()) found.set(name, result);
    writeFileSync(path.join(out, RESULTS), JSON.stringify([...found]));
    report(names, found, all.length - names.length, performance.now() - began, out);
    return names.every((name) => found.get(name)?.state === "passed") ? 0 : 1;
  } finally {
    for (const one of apart) await one.end();
  }
}

function wholeNumber(option, text, least) {
  const number = Number(text);
  if (Number.isInteger(number) && number >= least) return number;
  throw new Error(`${option}: expected a whole number from ${least} on, found ${text}`);
}

/** On one cluster, brought up for it. */
async function runHere(at, containerd, { names, suite, out, processes, ports, runtime }) {
  await up(at, { dedicated: true });
  const endpoint = runtime === "cri" ? containerdWithImages(at.name, containerd) : undefined;
  const node = await startNode(at, endpoint);
  try {
    if (endpoint === undefined) importIntoProcessRuntime(node.rootDir);
    const ask = { at, suite, out, rootDir: node.rootDir };
    return await runShares(ask, shares(names, { processes, portOf: ports }), processes);
  } finally {
    await node.stop();
  }
}

function containerdWithImages(name, containerd) {
  const endpoint = containerd("start", name);
  const instance = containerdLayout(name);
  if (process.env.HOOKLET_E2E_MIRROR !== undefined) {
    askInstead(instance, "_default", process.env.HOOKLET_E2E_MIRROR);
    // A registry that a test runs itself, on the node; this is how a folder is named for a host with a port.
    askInstead(instance, "localhost_5000_", "http://localhost:5000");
  }
  for (const archive of archives()) must("ctr", "-a", instance.socket, "-n", "k8s.io", "images", "import", archive);
  return endpoint;
}

function askInstead({ registries }, host, server) {
  const folder = path.join(registries, host);
  mkdirSync(folder, { recursive: true });
  const hosts = `server = "${server}"\n[host."${server}"]\n  capabilities = ["pull", "resolve"]\n`;
  writeFileSync(path.join(folder, "hosts.toml"), hosts);
}

function archives() {
  const folder = process.env.HOOKLET_E2E_IMAGES;
  if (folder === undefined) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".tar"))
    .map((name) => path.join(folder, name));
}

/** Under the names that the archives themselves give (OCI layouts, as `ctr images export` writes them). */
function importIntoProcessRuntime(rootDir) {
  for (const archive of archives()) {
    const index = JSON.parse(must("tar", "-xOf", archive, "index.json"));
    for (const { annotations = {} } of index.manifests) {
      const name = annotations["io.containerd.image.name"];
      if (name !== undefined) must(hooklet, "image", "import", "--root-dir", rootDir, name, archive);
    }
  }
}

async function startNode(at, endpoint) {
  const rootDir = path.join(at.dir, "worker");
  const cgroup = `${at.cgroup}-${NODE}`;
  const runtime = endpoint === undefined ? { use: "process" } : { use: "cri", options: { endpoint } };
  mkdirSync(rootDir, { recursive: true });
  const config = nodeConfig(at, {
    name: NODE,
    address: at.hostAddress,
    rootDir,
    runtime,
    cgroup,
    node: { maxPods: 200 },
  });
  const file = path.join(at.dir, "worker.json");
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  const log = openSync(path.join(at.dir, "worker.log"), "a");
  // Tests look for the node's agent by the name of its process (`pidof kubelet`).
  const words = [...nodeFlags(hooklet), hooklet, "run", "--config", file, "--log-format", "json"];
  const agent = spawn(process.execPath, words, {
    argv0: "kubelet",
    stdio: ["ignore", log, log],
  });
  const ready = ["wait", "--for=condition=Ready", `node/${NODE}`, "--timeout=5s"];
  const hint = () => `see ${at.dir}/worker.log`;
  const isReady = () => {
    if (hasEnded(agent)) throw new Error(`node ${NODE} has ended: ${hint()}`);
    return kubectlOk(at, ...ready).catch(() => false);
  };
  await until(`node ${NODE} is Ready`, isReady, { seconds: 330, every: 500, hint });
  return {
    rootDir,
    async stop() {
      await kubectl(at, ["delete", "pods", "-A", `--field-selector=spec.nodeName=${NODE}`, "--timeout=60s"]).catch(
        () => "",
      );
      const ended = new Promise((resolve) => agent.once("exit", resolve));
      agent.kill("SIGINT");
      const late = setTimeout(() => agent.kill("SIGKILL"), 30_000);
      if (!hasEnded(agent)) await ended;
      clearTimeout(late);
      removeCgroup(cgroup);
    },
  };
}

function hasEnded({ exitCode, signalCode }) {
  return exitCode !== null || signalCode !== null;
}

async function runShares(ask, { parallel, slow, lanes, last }, processes) {
  const found = new Map();
  const run = async (share, label) => {
    if (share.length === 0) return;
    for (const [name, result] of await runShare(ask, share, label)) {
      found.set(name, result);
      // What a run that is cut off has shown.
      console.log(`${result.state}  ${name}`);
    }
  };
  const waiting = parallel.map((share, i) => ({ share, label: `${i}` }));
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await run(next.share, next.label);
  };
  const lane = async (names, i) => {
    for (const [j, name] of names.entries()) {
      await run([name], `lane-${i}-${j}`);
      // Its port is free when its pods have ended; the suite does not wait for that.
      if (j < names.length - 1) await untilCleared(ask.at);
    }
  };
  const beside = slow.map((share, i) => run(share, `slow-${i}`));
  await Promise.all([...beside, ...lanes.map(lane), ...Array.from({ length: processes }, worker)]);
  await run(last, "last");
  return found;
}

/** Namespaces that go now, those of other tests among them, are gone. */
async function untilCleared(at) {
  const going = async () => {
    const { items } = JSON.parse(await kubectl(at, ["get", "namespaces", "-o", "json"]));
    return items.filter(({ metadata }) => metadata.deletionTimestamp !== undefined).map(({ metadata }) => metadata.uid);
  };
  const before = new Set(await going());
  const areGone = async () => !(await going()).some((uid) => before.has(uid));
  if (!(await holdsWithin(180, areGone, 1_000))) console.log("namespaces of earlier tests are still there after 180 s");
}

async function runShare({ at, suite, out, rootDir }, share, label) {
  const folder = path.join(out, label);
  // What an earlier run has left there is no result of this one.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const [program] = kubectlWords(at);
  const log = openSync(path.join(folder, "log"), "w");
  const fixed = [
    `--kubeconfig=${at.kubeconfig}`,
    "--provider=skeleton",
    "--num-nodes=1",
    `--kubectl-path=${program}`,
    `--kubelet-root-dir=${rootDir}`,
    `--report-dir=${folder}`,
    "--disable-log-dump",
    "--dump-logs-on-failure=false",
    "--ginkgo.no-color",
  ];
  const child = spawn(suite, [...fixed, ...share.map((name) => `--ginkgo.focus=${focus(name)}`)], {
    stdio: ["ignore", log, log],
  });
  await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  });
  const report = readdirSync(folder).find((name) => name.startsWith("junit"));
  return report === undefined ? new Map() : results(readFileSync(path.join(folder, report), "utf8"), share);
}

/** A test without a result has failed. */
function report(names, found, left, milliseconds, out) {
  const failed = names.filter((name) => found.get(name)?.state !== "passed");
  for (const name of failed) console.log(`FAILED  ${name}\n        ${found.get(name)?.why ?? "no result"}`);
  console.log(
    `${names.length} tests in ${Math.round(milliseconds / 1000)} s, ${left} left out with their reasons; logs in ${out}`,
  );
  console.log(`\n${names.length - failed.length} passed, ${failed.length} failed, ${left} skipped`);
}
