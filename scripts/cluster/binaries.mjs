// Kubernetes' own programs: taken from a folder that has them, or built from Go modules once and kept.
//   HOOKLET_KUBERNETES_BIN=DIR   a folder with etcd, kube-apiserver, kube-controller-manager, kube-scheduler and kubectl
import { spawn, spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";

export const KUBERNETES = "v1.36.3";
const ETCD = "v3.6.8";

/** What a cluster cannot be without. */
export const CONTROL_PLANE = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl"];

export function cacheFolder() {
  const base = process.env.XDG_CACHE_HOME ?? path.join(homedir(), ".cache");
  return path.join(base, "hooklet", `kubernetes-${KUBERNETES}`);
}

/** Paths by name of those that are there already; a name without one has `undefined`. */
export function findBinaries(names) {
  const given = process.env.HOOKLET_KUBERNETES_BIN;
  const folders = given === undefined ? [cacheFolder()] : [path.resolve(given), cacheFolder()];
  const at = (name) => folders.map((folder) => path.join(folder, name)).find(executable);
  return Object.fromEntries(names.map((name) => [name, at(name)]));
}

/** Paths by name; what is not there is built. @throws Error when it cannot be built, saying what to install or to set */
export async function binaries(names = CONTROL_PLANE) {
  const missing = names.filter((name) => findBinaries([name])[name] === undefined);
  if (missing.length > 0) await build(missing);
  return findBinaries(names);
}

export function goIsThere() {
  return spawnSync("go", ["version"], { stdio: "ignore" }).status === 0;
}

async function build(names) {
  if (!goIsThere())
    throw new Error(
      `${names.join(", ")} of Kubernetes ${KUBERNETES} cannot be found in ${cacheFolder()}, and Go, which would build them, is not installed: ` +
        "install Go, or set HOOKLET_KUBERNETES_BIN to a folder that has them",
    );
  const folder = cacheFolder();
  const sources = path.join(folder, "build");
  mkdirSync(sources, { recursive: true });
  await writeModule(sources);
  for (const name of names) {
    const began = performance.now();
    console.log(`building ${name} ${name === "etcd" ? ETCD : KUBERNETES} (once; it stays in ${folder})`);
    const half = path.join(folder, `${name}.${process.pid}`);
    await go(sources, ...buildWords(name, half));
    renameSync(half, path.join(folder, name));
    console.log(`  ${name}: ${Math.round((performance.now() - began) / 1000)} s`);
  }
}

function buildWords(name, output) {
  const strip = "-s -w";
  if (name === "etcd") return ["build", "-ldflags", strip, "-o", output, "go.etcd.io/etcd/server/v3"];
  if (name === "agnhost") return ["build", "-ldflags", strip, "-o", output, "k8s.io/kubernetes/test/images/agnhost"];
  const version = "k8s.io/component-base/version";
  const [, major, minor] = /^v(\d+)\.(\d+)\./.exec(KUBERNETES);
  const flags = [
    strip,
    `-X ${version}.gitVersion=${KUBERNETES}`,
    `-X ${version}.gitMajor=${major}`,
    `-X ${version}.gitMinor=${minor}`,
    `-X ${version}.gitTreeState=clean`,
  ].join(" ");
  if (name === "e2e.test") return ["test", "-c", "-ldflags", flags, "-o", output, "k8s.io/kubernetes/test/e2e"];
  return ["build", "-ldflags", flags, "-o", output, `k8s.io/kubernetes/cmd/${name}`];
}

/** k8s.io/kubernetes replaces its staging modules by folders that are not in the module: the published ones take their place. */
async function writeModule(folder) {
  const file = path.join(folder, "go.mod");
  if (existsSync(file) && readFileSync(file, "utf8").includes(`k8s.io/kubernetes ${KUBERNETES}\n`)) return;
  const { GoMod } = JSON.parse(await go("/", "mod", "download", "-json", `k8s.io/kubernetes@${KUBERNETES}`));
  const module = readFileSync(GoMod, "utf8");
  const staging = [...new Set([...module.matchAll(/(k8s\.io\/\S+) => \.\/staging\/src\//g)].map(([, name]) => name))];
  const lines = [
    "module hooklet.dev/kubernetes",
    /^go .*$/m.exec(module)[0],
    `require k8s.io/kubernetes ${KUBERNETES}`,
    `require go.etcd.io/etcd/server/v3 ${ETCD}`,
    ...staging.map((name) => `replace ${name} => ${name} v0${KUBERNETES.slice(2)}`),
  ];
  writeFileSync(file, `${lines.join("\n")}\n`);
}

/** Runs Go and gives what it printed; its errors go to the terminal. */
function go(cwd, ...args) {
  const env = { ...process.env, GOFLAGS: "-mod=mod -buildvcs=false", GOTOOLCHAIN: "local", GOWORK: "off" };
  const child = spawn("go", args, { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (data) => {
    output += data;
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(`go ${args.join(" ")} ended with ${code}`));
    });
  });
}

function executable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
