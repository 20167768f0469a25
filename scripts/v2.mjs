// cgroup v2 for real: boots Debian's kernel in QEMU with nothing but cgroup2 mounted, runs a real agent on the process runtime in it, and
// reads the kernel's files back. Without KVM (TCG) it is slow; the last line says how long it took.
//   node scripts/v2.mjs install     apt-get install what is missing
//   node scripts/v2.mjs             build the guest, boot it, run the stories
//     HOOKLET_V2_ACCEL=tcg          without KVM, also where there is one
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { tellHelp } from "./help.mjs";
import { root } from "./pnpm.mjs";
import { fetchKernel } from "./v2/kernel.mjs";
import { buildInitramfs } from "./v2/root.mjs";

tellHelp(import.meta.url);

const PACKAGES = ["qemu-system-x86", "busybox-static", "util-linux"];
const PROGRAMS = ["qemu-system-x86_64", "busybox", "unshare", "setpriv"];
const MEGABYTES = 3072;
/** The guest is given up after this time, milliseconds. */
const PATIENCE = { kvm: 300_000, tcg: 900_000 };

const folder = path.join(root, "node_modules/.cache/hooklet-v2");

if (process.argv[2] === "install") install();
else process.exitCode = await main();

function install() {
  if (PROGRAMS.every(present)) return;
  for (const words of [
    ["update", "-qq"],
    ["install", "-y", "-qq", "--no-install-recommends", ...PACKAGES],
  ]) {
    const { status } = spawnSync("apt-get", words, { stdio: "inherit" });
    if (status !== 0) process.exit(status ?? 1);
  }
}

function present(program) {
  return spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
}

async function main() {
  const missing = PROGRAMS.filter((program) => !present(program));
  if (missing.length > 0) {
    console.error(`pnpm e2e:v2 needs ${missing.join(", ")}: node scripts/v2.mjs install`);
    return 1;
  }
  if (!existsSync(path.join(root, "packages/hooklet/dist"))) {
    console.error("not built: run pnpm build first");
    return 1;
  }
  mkdirSync(folder, { recursive: true });
  const began = Date.now();
  const kernel = fetchKernel(folder);
  const work = path.join(folder, `guest-${process.pid}`);
  try {
    const initramfs = buildInitramfs({ repository: root, work, modules: kernel.modules });
    const size = Math.round(statSync(initramfs).size / 2 ** 20);
    console.log(`guest built: ${kernel.version}, ${size} MiB, ${seconds(began)} s`);
    return await boot(kernel.image, initramfs, began);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function machine(accelerator) {
  const how = accelerator === "tcg" ? "tcg,thread=multi" : accelerator;
  return ["-machine", "q35", "-accel", how, "-cpu", "max", "-nodefaults", "-no-reboot", "-display", "none"];
}

/** Whether the kernel gets as far as missing its root file system: KVM may be there and broken, in a guest of a guest. */
function kvmWorks(image) {
  if (!existsSync("/dev/kvm")) return false;
  const words = [...machine("kvm"), "-m", "512", "-serial", "none", "-kernel", image, "-append", "panic=-1"];
  const { status } = spawnSync("qemu-system-x86_64", words, {
    stdio: "ignore",
    timeout: 15_000,
    killSignal: "SIGKILL",
  });
  return status === 0;
}

/** Prints what the guest says; 0 when all its stories passed. */
async function boot(image, initramfs, began) {
  const accelerator = process.env.HOOKLET_V2_ACCEL ?? (kvmWorks(image) ? "kvm" : "tcg");
  console.log(`booting, accelerator ${accelerator}`);
  const words = [...machine(accelerator), "-smp", "2", "-m", String(MEGABYTES)];
  words.push("-serial", "stdio", "-kernel", image, "-initrd", initramfs);
  words.push("-append", "console=ttyS0 quiet loglevel=3 panic=-1 cgroup_no_v1=all psi=1");
  const guest = spawn("qemu-system-x86_64", words, { stdio: ["ignore", "pipe", "inherit"] });
  const end = () => guest.kill("SIGKILL");
  const late = setTimeout(end, PATIENCE[accelerator] ?? PATIENCE.tcg);
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, end);
  let totals;
  for await (const line of createInterface({ input: guest.stdout })) {
    console.log(line.replace(/\r$/, ""));
    totals = /^(\d+) passed, (\d+) failed/.exec(line) ?? totals;
  }
  clearTimeout(late);
  console.log(`cgroup v2 in QEMU (${accelerator}): ${seconds(began)} s`);
  if (totals === undefined) console.error("the guest ended without its totals");
  return totals !== undefined && totals[1] !== "0" && totals[2] === "0" ? 0 : 1;
}

function seconds(since) {
  return Math.round((Date.now() - since) / 1000);
}
