// An agent under soak: a folder on a small disk of its own, started, killed and asked.
import { execFile, spawn, spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { CGROUPS, foldersIn, mountsBelow, must, readIfThere, removeFolder, until } from "../machine.mjs";
import { root } from "../pnpm.mjs";

const run = promisify(execFile);
const BINARY = path.join(root, "packages/hooklet/bin/hooklet.js");
const DISK = "256m";

export class SoakAgent {
  #child;

  /** `snapshots`: ages in seconds, as heap.mjs takes them. */
  constructor(runtime, snapshots = "") {
    this.snapshots = snapshots;
    this.folder = mkdtempSync(path.join(tmpdir(), "hooklet-soak-"));
    this.rootDir = path.join(this.folder, "root");
    this.manifests = path.join(this.folder, "manifests");
    this.clock = path.join(this.folder, "clock");
    this.log = path.join(this.folder, "log");
    this.heap = path.join(this.folder, "heap");
    for (const folder of [this.rootDir, this.manifests]) mkdirSync(folder, { mode: 0o755 });
    must("mount", "-t", "tmpfs", "-o", `size=${DISK},mode=0755`, "tmpfs", this.rootDir);
    this.config = path.join(this.folder, "hookletrc.json");
    const node = {
      name: "soak",
      maxPods: 200,
      evictionHard: {},
      capacity: { cpu: "64", memory: "64Gi" },
    };
    // A full disk is part of the soak; whether pods are evicted for it is another question.
    const plugins = [["eviction", false], path.join(root, "scripts/soak/fill.mjs")];
    writeFileSync(
      this.config,
      JSON.stringify({ port: 0, node, runtime, plugins, sources: { manifests: this.manifests } }),
      { mode: 0o600 },
    );
  }

  async start() {
    const env = {
      ...process.env,
      HOOKLET_SOAK_CLOCK: this.clock,
      HOOKLET_SOAK_HEAP: this.heap,
      HOOKLET_SOAK_SNAPSHOTS: this.snapshots,
      NODE_OPTIONS: [
        process.env.NODE_OPTIONS ?? "",
        ...["clock", "heap"].map((name) => `--import=${path.join(root, `scripts/soak/${name}.mjs`)}`),
      ].join(" "),
    };
    const args = ["run", "--config", this.config, "--root-dir", this.rootDir, "--log-format", "text"];
    const log = openSync(this.log, "a");
    this.#child = spawn(BINARY, args, { stdio: ["ignore", log, log], env });
    this.began = performance.now();
    const answers = async () => {
      const { exitCode, signalCode } = this.#child;
      if ((exitCode ?? signalCode) !== null) throw new Error(`the agent ended with ${exitCode ?? signalCode}`);
      return (await this.pods().catch(() => undefined)) !== undefined;
    };
    await until("the agent answers", answers, { seconds: 300, hint: () => `see ${this.log}` });
  }

  async end(signal) {
    if (this.#child === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill(signal);
    await ended;
  }

  async pods() {
    const { stdout } = await run(BINARY, ["get", "pods", "-A", "-o", "json", "--root-dir", this.rootDir], {
      maxBuffer: 2 ** 26,
    });
    return JSON.parse(stdout).items;
  }

  write(name, text) {
    const born = path.join(this.folder, `${name}.new`);
    writeFileSync(born, text);
    renameSync(born, path.join(this.manifests, `${name}.json`));
  }

  figures() {
    const { pid } = this.#child;
    const resident = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return {
      age: (performance.now() - this.began) / 1000,
      rss: Number(resident) / 1024,
      fds: descriptors(`/proc/${pid}/fd`),
    };
  }

  /** When this is said, and of which process. */
  at() {
    return `${new Date().toISOString()} pid ${this.#child.pid}`;
  }

  /** Where the snapshots of the heap are now, which would go with the folder. */
  keepSnapshots() {
    const kept = mkdtempSync(path.join(tmpdir(), "hooklet-snapshots-"));
    const names = readdirSync(this.folder).filter((name) => name.endsWith(".heapsnapshot"));
    for (const name of names) renameSync(path.join(this.folder, name), path.join(kept, name));
    return names.map((name) => path.join(kept, name));
  }

  /** Of the agent of now: `{ age, heapUsed, code, objects, rss }` in seconds and bytes, after a collection each. */
  heaps() {
    const lines = readIfThere(this.heap).split("\n").filter(Boolean);
    return lines.map((line) => JSON.parse(line)).filter(({ pid }) => pid === this.#child.pid);
  }

  /** The log from a byte on, and where it ends. */
  logFrom(offset) {
    const bytes = readFileSync(this.log);
    return { text: bytes.subarray(offset).toString("utf8"), end: bytes.length };
  }

  fillDisk() {
    const file = path.join(this.rootDir, "soak-full");
    spawnSync("dd", ["if=/dev/zero", `of=${file}`, "bs=1M"], { stdio: "ignore" });
    return () => rmSync(file, { force: true });
  }

  jump(milliseconds) {
    writeFileSync(this.clock, String(milliseconds));
  }

  /** Where its log is now, which would go with the folder. */
  keepLog() {
    const kept = path.join(mkdtempSync(path.join(tmpdir(), "hooklet-soak-log-")), "log");
    copyFileSync(this.log, kept);
    return kept;
  }

  lastLogLines() {
    return existsSync(this.log) ? readFileSync(this.log, "utf8").split("\n").slice(-15).join("\n") : "";
  }

  /** What is there although nothing runs any more. */
  leftovers(uids) {
    const below = (folder) => (existsSync(folder) ? readdirSync(folder) : []);
    const named = (name) => uids.some((uid) => name.includes(uid) || name.includes(uid.replaceAll("-", "_")));
    const left = {
      mounts: mountsBelow(this.rootDir),
      cgroups: cgroups(CGROUPS).filter((folder) => named(path.basename(folder))),
      files: [...below(path.join(this.rootDir, "pods")), ...below(path.join(this.rootDir, "logs"))].filter(named),
    };
    for (const [kind, names] of Object.entries(left)) for (const name of names) console.log(`left, ${kind}: ${name}`);
    return Object.fromEntries(Object.entries(left).map(([kind, names]) => [kind, names.length]));
  }

  /** Also after a run that failed. */
  remove() {
    removeFolder(this.folder);
  }
}

/** How many of each kind are open: `total`, files of removed folders (`gone`), and others by what they lead to. */
function descriptors(folder) {
  const names = readdirSync(folder);
  const kinds = names.map((name) => kindOf(path.join(folder, name))).filter((kind) => kind !== undefined);
  const counts = new Map();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return { total: kinds.length, ...Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))) };
}

/** @returns undefined for one that was closed meanwhile */
function kindOf(descriptor) {
  try {
    const leads = readlinkSync(descriptor);
    if (leads.endsWith(" (deleted)")) return "gone";
    if (leads.startsWith(CGROUPS)) return "cgroups";
    if (leads.startsWith("/proc/")) return "proc";
    return /^(\w+):\[/.exec(leads)?.[1] ?? (leads.startsWith("/") ? "files" : "anonymous");
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** All below; one may go away while it is read. */
function cgroups(folder) {
  const children = foldersIn(folder).map((name) => path.join(folder, name));
  return children.flatMap((child) => [child, ...cgroups(child)]);
}
