// A Kubernetes cluster of one process tree: hooklet's process runtime runs the control plane and is its node (root, Linux).
//   node scripts/cluster.mjs [up]          builds what is missing, boots, runs a Deployment, prints the times; leaves it running
//                   --bare                 without the Deployment, and the control plane's node takes no other pods
//   node scripts/cluster.mjs kubectl ...   kubectl as the administrator
//   node scripts/cluster.mjs node NAME     credentials for one more node, on this machine's side of the link, as JSON
//                   --address ADDRESS      of that node (default: the machine's end of the link)
//                   --root-dir DIR --endpoint SOCKET   with the rc file of a hooklet on that containerd (without: on the process runtime)
//   node scripts/cluster.mjs build [NAME...]  only builds
//   node scripts/cluster.mjs down          takes everything away
// Each takes --name NAME: several clusters may run side by side.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { nodeConfig } from "./cluster/agent.mjs";
import { binaries, CONTROL_PLANE, findBinaries } from "./cluster/binaries.mjs";
import { demo } from "./cluster/demo.mjs";
import { down } from "./cluster/down.mjs";
import { kubectl, kubectlWords } from "./cluster/kubectl.mjs";
import { layout } from "./cluster/layout.mjs";
import { nodeCredentials } from "./cluster/pki.mjs";
import { mayBoot, up } from "./cluster/up.mjs";
import { tellHelp } from "./help.mjs";
import { installAndBuild, root } from "./pnpm.mjs";

// pnpm hands on the `--` that it was given.
const given = process.argv.slice(process.argv[2] === "--" ? 3 : 2);
const [command, ...rest] = given[0] === undefined || given[0].startsWith("-") ? ["up", ...given] : given;
// kubectl has a help of its own.
if (command !== "kubectl") tellHelp(import.meta.url, given);
const options = {
  name: { type: "string" },
  bare: { type: "boolean" },
  address: { type: "string" },
  endpoint: { type: "string" },
  "root-dir": { type: "string" },
};

const COMMANDS = { up: boot, kubectl: asAdministrator, node: credentials, build: onlyBuild, down: takeDown };

if (COMMANDS[command] === undefined) {
  console.error(`expected one of ${Object.keys(COMMANDS).join(", ")}, found ${command}`);
  process.exit(2);
}
try {
  await COMMANDS[command](rest);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

async function boot(words) {
  const { values } = parseArgs({ args: words, options });
  const at = layout(values.name);
  mayBoot(at);
  if (!existsSync(`${root}/packages/hooklet/dist`)) await installAndBuild();
  const began = performance.now();
  const built = CONTROL_PLANE.filter((name) => findBinaries([name])[name] === undefined).length;
  await binaries();
  const ready = performance.now();
  if (built > 0) console.log(`${built} programs built in ${minutes(ready - began)}`);
  // Another one may have come up while this one was building: this one must not remove it.
  mayBoot(at);
  const interrupted = takenDownAtSignals(at);
  try {
    await Promise.race([interrupted.promise, bootAll(at, values.bare)]);
  } catch (error) {
    if (error.code !== "EEXIST") await down(at);
    throw error;
  }
  interrupted.forget();
  console.log(`from nothing: ${minutes(performance.now() - began)}${built > 0 ? " with the build" : ""}`);
  const named = at.name === layout().name ? "" : ` --name ${at.name}`;
  console.log(`\nkubectl:   pnpm cluster kubectl${named} get pods -A`);
  console.log(`or:        export KUBECONFIG=${at.kubeconfig}`);
  console.log(`the end:   pnpm cluster down${named}`);
}

async function bootAll(at, bare) {
  const began = performance.now();
  const stage = (what, milliseconds) => console.log(`${seconds(milliseconds)}  ${what}`);
  await up(at, { stage, dedicated: bare === true });
  if (bare) return;
  await kubectl(at, ["apply", "-f", "-"], JSON.stringify(demo));
  await kubectl(at, ["rollout", "status", "deployment/hello", "--timeout=60s"]);
  stage("a Deployment runs", performance.now() - began);
  console.log(`\n$ kubectl get pods -A -o wide\n${await kubectl(at, ["get", "pods", "-A", "-o", "wide"])}`);
}

/** Ctrl-C before the cluster stands removes what there is of it. */
function takenDownAtSignals(at) {
  let stop;
  const promise = new Promise((_, reject) => {
    stop = (name) => reject(new Error(`${name}: cluster ${at.name} is removed`));
  });
  const names = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const name of names) process.on(name, stop);
  return {
    promise,
    forget() {
      for (const name of names) process.off(name, stop);
    },
  };
}

function asAdministrator(words) {
  const named = words[0] === "--name" ? words[1] : undefined;
  const [program, ...own] = kubectlWords(layout(named));
  const { status, error } = spawnSync(program, [...own, ...(named === undefined ? words : words.slice(2))], {
    stdio: "inherit",
  });
  if (error) throw error;
  process.exitCode = status ?? 1;
}

function credentials(words) {
  const { values, positionals } = parseArgs({ args: words, options, allowPositionals: true });
  const at = layout(values.name);
  const [name] = positionals;
  if (name === undefined) throw new Error("node: expected the name of a node");
  const address = values.address ?? at.hostAddress;
  const rootDir = values["root-dir"];
  const runtime =
    values.endpoint === undefined ? { use: "process" } : { use: "cri", options: { endpoint: values.endpoint } };
  const cgroup = `${at.cgroup}-${name}`;
  const rc = rootDir === undefined ? {} : { rc: nodeConfig(at, { name, address, rootDir, runtime, cgroup }) };
  console.log(JSON.stringify({ name, address, cgroup, ...nodeCredentials(at, name, address), ...rc }));
}

async function onlyBuild(words) {
  const { positionals } = parseArgs({ args: words, options, allowPositionals: true });
  const found = await binaries(positionals.length > 0 ? positionals : CONTROL_PLANE);
  for (const [name, file] of Object.entries(found)) console.log(`${name}\t${file}`);
}

async function takeDown(words) {
  const { values } = parseArgs({ args: words, options });
  await down(layout(values.name));
}

function seconds(milliseconds) {
  return `${(milliseconds / 1000).toFixed(1).padStart(6)} s`;
}

function minutes(milliseconds) {
  const whole = Math.round(milliseconds / 1000);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
