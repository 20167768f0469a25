// A private containerd for tests and benches (root, Linux). Nothing of the machine's own containerd is touched.
//   node scripts/containerd.mjs install               apt-get install what is missing
//   node scripts/containerd.mjs start [--name N]      fresh instance with the images imported; prints its socket
//                       [--disk MEGABYTES]           on a file system of its own of that size
//   node scripts/containerd.mjs kill|resume [--name N] kill -9 of the daemon only; start it again on what is there
//   node scripts/containerd.mjs stop [--name N]       removes everything, also after a run that was killed
//   node scripts/containerd.mjs stop-all               the same for every instance
//   node scripts/containerd.mjs images [--name N]     imports the images again (tests remove some)
//   node scripts/containerd.mjs blobs [--name N] NAME=MEGABYTES...   imports images of that many random bytes
//   node scripts/containerd.mjs run [--name N] -- COMMAND...   start, run with CONTAINER_RUNTIME_ENDPOINT set, stop
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, openSync, rmSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { cleanUp, containerdPid, killContainerd } from "./containerd/clean-up.mjs";
import { cniConflist, configToml, instances, layout } from "./containerd/config.mjs";
import { buildBlob, buildImages, imageNames } from "./containerd/images.mjs";
import { freeSubnet } from "./containerd/subnet.mjs";
import { must, readIfThere, until } from "./machine.mjs";

const PACKAGES = ["containerd", "runc", "busybox-static", "containernetworking-plugins", "iproute2", "iptables"];
const PROGRAMS = ["containerd", "ctr", "runc", "busybox", "ip", "iptables"];
/** CNI's plugins; no program of the path. */
const FILES = ["/usr/lib/cni/bridge", "/usr/lib/cni/host-local", "/usr/lib/cni/portmap"];
/** Seconds. */
const PATIENCE = 60;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    name: { type: "string", default: "test" },
    bare: { type: "boolean", default: false },
    disk: { type: "string" },
  },
});
const [command, ...rest] = positionals;
const at = layout(values.name);
const env = { ...process.env, PATH: `${process.env.PATH}:/usr/local/sbin:/usr/sbin:/sbin` };
process.env.PATH = env.PATH;

const COMMANDS = {
  install() {
    const missing = [...PROGRAMS, ...FILES].filter((name) => !present(name));
    if (missing.length === 0) return;
    const apt = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"];
    must(...apt, "update", "-qq");
    must(...apt, "install", "-y", "-qq", "--no-install-recommends", ...PACKAGES);
  },
  async start() {
    await cleanUp(at);
    for (const folder of [at.dir, at.cni, at.registries]) mkdirSync(folder, { recursive: true, mode: 0o755 });
    writeFileSync(at.config, configToml(at));
    writeFileSync(at.conflist, cniConflist(at, freeSubnet(at.name, [...inUse(), ...others()])));
    if (values.disk !== undefined) mountDisk(Number(values.disk));
    await launch();
    if (!values.bare) await importImages();
    console.log(at.socket);
  },
  stop: () => cleanUp(at),
  async "stop-all"() {
    for (const name of instances()) await cleanUp(layout(name));
  },
  kill: () => killContainerd(at),
  resume: () => launch(),
  images: () => importImages(),
  async blobs() {
    const blobs = rest.map((word) => word.split("="));
    for (const [name, megabytes] of blobs) {
      const file = buildBlob(at.images, name, Number(megabytes));
      try {
        importArchive(file);
      } finally {
        rmSync(file, { force: true });
      }
    }
    await untilManaged(blobs.map(([name]) => name));
  },
  async run() {
    await COMMANDS.start();
    try {
      const [program, ...args] = rest;
      const { status } = spawnSync(program, args, {
        stdio: "inherit",
        env: { ...env, CONTAINER_RUNTIME_ENDPOINT: `unix://${at.socket}` },
      });
      process.exitCode = status ?? 1;
    } finally {
      await cleanUp(at);
    }
  },
};

/** Addresses and routes of the machine: a VPN's network is there without an address in it. */
const inUse = () =>
  ["address", "route"].map((what) => spawnSync("ip", ["-o", "-4", what], { encoding: "utf8", env }).stdout ?? "");

/** What other instances have written down: their bridges come with their first pods. */
const others = () => instances().map((name) => readIfThere(layout(name).conflist) ?? "");

async function launch() {
  if (containerdPid(at) !== undefined) return;
  const log = openSync(at.log, "a");
  const daemon = spawn("containerd", ["--config", at.config], { detached: true, stdio: ["ignore", log, log], env });
  await new Promise((resolve, reject) => {
    daemon.once("spawn", resolve);
    daemon.once("error", reject);
  });
  writeFileSync(at.pidFile, String(daemon.pid));
  daemon.unref();
  await comes("the CRI plugin is up", () => {
    const { stdout } = spawnSync("ctr", ["-a", at.socket, "--connect-timeout", "1s", "plugins", "ls"], {
      encoding: "utf8",
      env,
    });
    return /^io\.containerd\.grpc\.v1\s+cri\s.*\sok\s*$/m.test(stdout ?? "");
  });
}

const ctr = (...args) =>
  spawnSync("ctr", ["-a", at.socket, "-n", "k8s.io", "images", ...args], { encoding: "utf8", env });

async function importImages() {
  for (const file of buildImages(at.images)) importArchive(file);
  await untilManaged(imageNames());
}

function importArchive(file) {
  const { status, stderr } = ctr("import", file);
  if (status !== 0) throw new Error(`import of ${file} failed: ${stderr}`);
}

/** CRI sees an image once containerd has labelled it. */
async function untilManaged(names) {
  await comes("the images are known to CRI", () => {
    const lines = ctr("ls").stdout.split("\n");
    return names.every((name) => lines.some((line) => line.startsWith(`${name} `) && line.includes("managed")));
  });
}

/** A loop device below the instance's folder, which the clean-up unmounts: the disk of `root` alone. */
function mountDisk(megabytes) {
  if (!Number.isInteger(megabytes) || megabytes < 32)
    throw new Error(`--disk: expected 32 MB or more, found ${values.disk}`);
  const file = `${at.dir}/disk`;
  must("truncate", "-s", `${megabytes}M`, file);
  must("mkfs.ext4", "-q", "-m", "0", file);
  mkdirSync(at.root, { recursive: true });
  must("mount", "-o", "loop", file, at.root);
}

function present(name) {
  return name.startsWith("/") ? existsSync(name) : spawnSync("which", [name], { stdio: "ignore", env }).status === 0;
}

function comes(what, holds) {
  return until(what, holds, { seconds: PATIENCE, every: 50, hint: () => `see ${at.log}` });
}

if (COMMANDS[command] === undefined) {
  console.error(`expected one of ${Object.keys(COMMANDS).join(", ")}, found ${command ?? "nothing"}`);
  process.exit(2);
}
await COMMANDS[command]();
