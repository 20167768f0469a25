/** The processes of a hooklet container started by a bare loop: what is left is the agent's own cost. */
import { spawn } from "node:child_process";
import { cp, mkdir, readdir, readFile, rmdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { decodeChecked } from "@hooklet/core/internal";
import { until } from "./wait.js";

/** What one container of the process runtime was started with. */
export interface Sample {
  /** The container's folder; it stands in `fstab` and `words`. */
  readonly folder: string;
  readonly fstab: string;
  /** Files which take the container's processes in, one for each cgroup hierarchy. */
  readonly cgroups: readonly string[];
  /** Whether the container has a PID namespace. */
  readonly ownPids: boolean;
  /** What the first process of the container becomes, step by step, up to the program. */
  readonly words: readonly string[];
}

/** A start of the bare loop: its folder, and the process that its program is. */
interface Started {
  readonly place: string;
  readonly pid: number;
}

/** Of the only container below an agent's root dir, while it runs. What it refers to is copied to `keep`. */
export async function takeSample(rootDir: string, keep: string): Promise<Sample> {
  const base = path.join(rootDir, "runtime-process");
  const [id] = await readdir(path.join(base, "containers"));
  const folder = path.join(base, "containers", id ?? "");
  const text = (name: string): Promise<string> => readFile(path.join(folder, name), "utf8");
  const cgroups = (await text("cgroups")).split("\n").filter((line) => line !== "");
  const words = (await text("start"))
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.slice(1));
  const fstab = await text("fstab");
  await cp(rootDir, keep, {
    recursive: true,
    filter: (from) => !/\/(root|work\d+)\/|\.sock$/.test(from.slice(rootDir.length)),
  });
  const moved = (line: string): string => line.replaceAll(rootDir, keep);
  const { ownPids } = decodeChecked(await text("state")) as { readonly ownPids?: boolean };
  // Without the files that the shim writes, and setsid.
  const chain = words.slice(3).map(moved);
  return { folder: moved(folder), fstab: moved(fstab), cgroups, ownPids: ownPids === true, words: chain };
}

/**
 * Milliseconds from the first start to the last program running, `atOnce` starts under way at a time. What it makes
 * below `folder` stays there.
 */
export async function bareLoop(folder: string, count: number, atOnce: number, sample: Sample): Promise<number> {
  const started: Started[] = [];
  const began = performance.now();
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < count; i = next++) started.push(await start(path.join(folder, String(i)), i, sample));
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, worker));
    return performance.now() - began;
  } finally {
    await Promise.all(started.map(stop));
    for (let i = 0; i < started.length; i++) await Promise.all(cgroupsOf(i, sample).map((at) => rmdir(at)));
  }
}

/** One for each hierarchy, beside the agent's tree of cgroups. */
const cgroupsOf = (i: number, { cgroups }: Sample): string[] =>
  cgroups.map((file) => file.replace(/\/hooklet[^/]*\/.*/, `/hooklet-bare-${i}`));

async function makeCgroup(at: string): Promise<void> {
  await mkdir(at);
  // v1's cpuset takes no process before it has CPUs and memory nodes.
  for (const file of ["cpuset.mems", "cpuset.cpus"]) {
    const inherited = await readFile(path.join(at, "..", file), "utf8").catch(() => "");
    if (at.includes("/cpuset/") && inherited.trim() !== "") await writeFile(path.join(at, file), inherited);
  }
}

/** Writes down which process it is, as every container: outside of a PID namespace it is unknown. */
const SETUP = `read -r self </proc/self/stat
echo "\${self%% *}" >"$1/pid"
while read -r file; do printf 0 >"$file"; done <"$1/cgroups"
test ! -s "$1/fstab" || mount -c -a -T "$1/fstab"
shift
exec "$@"`;

/** Something waits beside each container and writes down how it ended. */
const WAIT = 'exit=$1; shift; "$@"; echo $? >"$exit"';

async function start(place: string, i: number, sample: Sample): Promise<Started> {
  const layers = (await readdir(sample.folder)).filter((name) => name.startsWith("upper"));
  await mkdir(path.join(place, "root"), { recursive: true });
  for (const layer of layers) {
    await cp(path.join(sample.folder, layer), path.join(place, layer), { recursive: true });
    await mkdir(path.join(place, layer.replace("upper", "work")));
  }
  const cgroups = cgroupsOf(i, sample);
  await Promise.all(cgroups.map(makeCgroup));
  await writeFile(path.join(place, "cgroups"), cgroups.map((at) => `${at}/cgroup.procs\n`).join(""));
  await writeFile(path.join(place, "fstab"), sample.fstab.replaceAll(sample.folder, place));
  const mount = sample.words.findIndex((word) => word.endsWith("/mount"));
  const shell = sample.words.findIndex((word) => word.endsWith("/sh"));
  const entry = sample.words.slice(mount + 1).map((word) => word.replaceAll(sample.folder, place));
  const setup = [...sample.words.slice(0, shell), "sh", "-c", SETUP, "sh", place, ...entry];
  const shim = ["setsid", "-f", "sh", "-c", WAIT, "sh", path.join(place, "exit"), ...setup];
  const [program = "", ...args] = sample.ownPids ? ["unshare", "-p", ...shim] : shim;
  await ended(spawn(program, args, { stdio: "ignore" }));
  let pid: number | undefined;
  await until(async () => {
    pid ??= await pidIn(place);
    return pid !== undefined && (await sleeps(pid));
  }, 2);
  return { place, pid: pid as number };
}

function ended(starter: ReturnType<typeof spawn>): Promise<void> {
  return new Promise((resolve, reject) => {
    starter.once("error", reject);
    starter.once("exit", (code) =>
      code === 0 ? resolve() : reject(new Error(`a start of the bare loop: exit ${code}`)),
    );
  });
}

async function stop({ place, pid }: Started): Promise<void> {
  process.kill(pid, "SIGKILL");
  await until(async () => (await readFile(path.join(place, "exit"), "utf8").catch(() => "")) !== "");
}

async function pidIn(place: string): Promise<number | undefined> {
  const line = await readFile(path.join(place, "pid"), "utf8").catch(() => "");
  return line.endsWith("\n") ? Number(line) : undefined;
}

async function sleeps(pid: number): Promise<boolean> {
  return (await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "")).trim() === "sleep";
}
