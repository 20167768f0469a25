// `pnpm e2e:kube`: stories of hooklet as a node of a real Kubernetes cluster (root, Linux, containerd; minutes on a calm machine).
//   node scripts/kube.mjs [ARGUMENTS OF JEST]   all stories, or those of the files named
//   node scripts/kube.mjs figures [-t NAME]     no stories: hooklet and a kubelet measured in the same place, one after the other
//   node scripts/kube.mjs --quick               two files of them; builds nothing, and says when it has to skip
//   node scripts/kube.mjs list FILE             Kubernetes' own tests that the file names: see scripts/kube/list.mjs
// The control plane is that of `pnpm cluster`. A real kubelet is a second node where one is found (HOOKLET_KUBERNETES_BIN, or
// `node scripts/cluster.mjs build kubelet`); its stories are counted as skipped otherwise.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { CONTROL_PLANE, findBinaries, goIsThere } from "./cluster/binaries.mjs";
import { down } from "./cluster/down.mjs";
import { kubectlWords } from "./cluster/kubectl.mjs";
import { layout } from "./cluster/layout.mjs";
import { mayBoot, up } from "./cluster/up.mjs";
import { tellHelp } from "./help.mjs";
import { runList } from "./kube/list.mjs";
import { inOwnMounts } from "./kube/own-mounts.mjs";
import { must } from "./machine.mjs";
import { root } from "./pnpm.mjs";

const STORIES = "test/deep/kube";
const QUICK = [`${STORIES}/workloads.test.ts`, `${STORIES}/kubectl.test.ts`];
/** Exit code that differs from success and failure. */
const SKIPPED = 77;

const words = process.argv.slice(2).filter((word) => word !== "--");
tellHelp(words[0] === "list" ? new URL("kube/list.mjs", import.meta.url) : import.meta.url, words);
const quick = words.includes("--quick");
const figures = words[0] === "figures";
const at = layout(process.env.HOOKLET_KUBE_NAME ?? "e2e");
/** Of containerd: hooklet's, and the kubelet's. */
const [OURS, THEIRS] = [at.name, `${at.name}k`];
const lacking = whatLacks();
if (lacking !== undefined) {
  const skipped = countStories(
    quick ? QUICK : readdirSync(path.join(root, STORIES)).map((file) => `${STORIES}/${file}`),
  );
  console.log(`\n!!! ${skipped} stories of a real Kubernetes cluster were SKIPPED: ${lacking}`);
  console.log(`\n0 passed, 0 failed, ${skipped} skipped`);
  process.exit(process.env.HOOKLET_TEST_REQUIRE === "kube" ? 1 : SKIPPED);
}
const apart = words[0] === "list" ? await inOwnMounts() : undefined;
if (apart !== undefined) process.exit(apart);
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => takeDown().then(() => process.exit(1)));
try {
  await takeDown();
  mayBoot(at);
  process.exitCode = words[0] === "list" ? await runList(at, words.slice(1), containerd) : await main();
} finally {
  await takeDown();
}

function whatLacks() {
  if (process.platform !== "linux" || process.getuid() !== 0) return "they need root on Linux";
  const programs = ["containerd", "runc", "ip", "nsenter", "openssl", "unshare"];
  const missing = programs.filter((name) => spawnSync("which", [name], { stdio: "ignore" }).status !== 0);
  if (missing.length > 0) return `${missing.join(", ")} not installed (node scripts/containerd.mjs install)`;
  const unbuilt = CONTROL_PLANE.filter((name) => findBinaries([name])[name] === undefined);
  if (unbuilt.length > 0 && quick)
    return `${unbuilt.join(", ")} not built yet (node scripts/cluster.mjs build: up to 21 minutes, once), and --quick builds nothing`;
  if (unbuilt.length > 0 && !goIsThere()) return `${unbuilt.join(", ")} not there, and no Go to build them`;
  return undefined;
}

function countStories(files) {
  const texts = files
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => readFileSync(path.join(root, file), "utf8"));
  return texts.join("\n").match(/^ *test(\.each\(.*\))?\(/gm)?.length ?? 0;
}

async function main() {
  await up(at, {
    dedicated: true,
    audit: figures,
    stage: (what, milliseconds) => console.log(`${(milliseconds / 1000).toFixed(1)} s: ${what}`),
  });
  const { kubelet } = findBinaries(["kubelet"]);
  const endpoint = containerd("start", OURS);
  const [kubectl] = kubectlWords(at);
  const { name, kubeconfig, server, address, hostAddress, prefix, link, namespace, manifests, audit } = at;
  const place = { name, kubeconfig, server, address, hostAddress, prefix, link, namespace, manifests, audit };
  const there = { ...place, folder: at.dir, kubectl, endpoint };
  const second =
    kubelet === undefined || quick ? {} : { kubelet: { program: kubelet, endpoint: containerd("start", THEIRS) } };
  const env = { ...process.env, HOOKLET_KUBE: JSON.stringify({ ...there, ...second }) };
  const files = words.filter((word) => word !== "--quick");
  const stories = quick ? QUICK : ["test/deep/kube/[a-z-]+.test.ts"];
  const patterns = figures ? ["test/deep/kube/figures", ...files.slice(1)] : files.length > 0 ? files : stories;
  const jest = [path.join(root, "scripts/jest.mjs"), "kube", "--maxWorkers=1", "--verbose", ...patterns];
  return spawnSync(process.execPath, jest, { cwd: root, env, stdio: "inherit" }).status ?? 1;
}

/** The endpoint of an instance that is started; `stop` takes one away. */
function containerd(command, name) {
  const script = path.join(root, "scripts/containerd.mjs");
  return `unix://${must(process.execPath, script, command, "--name", name).trim()}`;
}

async function takeDown() {
  try {
    for (const name of [OURS, THEIRS]) containerd("stop", name);
  } finally {
    await down(at);
  }
}
