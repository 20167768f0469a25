/** The processes of a hooklet container started by a bare loop: what is left is the agent's own cost. */
import { type ChildProcess, spawn } from "node:child_process";
import { cp, mkdir, readdir, readFile, rmdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { until } from "./wait.js";

/** What one container of the process runtime was started with. */
export interface Sample {
  /** The container's folder; it stands in `fstab` and `words`. */
  readonly folder: string;
  readonly fstab: string;
  /** Files which take the container's processes in, one for each cgroup hierarchy. */
  readonly cgroups: readonly string[];
  /** From setsid to the program. */
  readonly words: readonly string[];
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
  return { folder: moved(folder), fstab: moved(fstab), cgroups, words: words.slice(3).map(moved) };
}

/**
 * Milliseconds from the first start to the last program running, `atOnce` starts under way at a time. What it makes
 * below `folder` stays there.
 */
export async function bareLoop(folder: string, count: number, atOnce: number, sample: Sample): Promise<number> {
  const children: ChildProcess[] = [];
  const began = performance.now();
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < count; i = next++) children.push(await start(path.join(folder, String(i)), i, sample));
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, worker));
    return performance.now() - began;
  } finally {
    await Promise.all(children.map(stop));
    for (let i = 0; i < children.length; i++) await Promise.all(cgroupsOf(i, sample).map((at) => rmdir(at)));
  }
}

/** One for each hierarchy, beside the agent's tree of cgroups. */
const cgroupsOf = (i: number, { cgroups }: Sample): string[] =>
  cgroups.map((file) => file.replace(/\/hooklet[^/]*\/.*/, `/hooklet-bare-${i}`));

async function makeCgroup(at: string): Promise<void> {
  await mkdir(at);
  // v1's cpuset takes nobody in before it knows where they may run.
  for (const file of ["cpuset.mems", "cpuset.cpus"]) {
    const inherited = await readFile(path.join(at, "..", file), "utf8").catch(() => "");
    if (at.includes("/cpuset/") && inherited.trim() !== "") await writeFile(path.join(at, file), inherited);
  }
}

async function start(place: string, i: number, sample: Sample): Promise<ChildProcess> {
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
  const script =
    'while read -r file; do printf 0 >"$file"; done <"$1/cgroups"; test ! -s "$1/fstab" || mount -c -a -T "$1/fstab"; shift; exec "$@"';
  // As every container: something waits beside it and writes down how it ended.
  const waiting = ["-c", '"$@"; echo $? >"$0"', path.join(place, "exit")];
  const setup = [...sample.words.slice(0, shell), "sh", "-c", script, "sh", place];
  const child = spawn("sh", [...waiting, ...setup, ...entry], { stdio: "ignore", detached: true });
  await until(async () => sleeps(child.pid as number), 2);
  return child;
}

async function stop(shim: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => shim.once("exit", resolve));
  const program = await programOf(shim.pid as number);
  if (program !== undefined) process.kill(program, "SIGKILL");
  await ended;
}

async function childOf(pid: number): Promise<number | undefined> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  const child = children.trim().split(" ")[0];
  return child ? Number(child) : undefined;
}

/** The last of the shim's line of children: programs that set up a container exec the next one, or fork it and wait. */
async function programOf(pid: number): Promise<number | undefined> {
  let last: number | undefined;
  for (let next = await childOf(pid); next !== undefined; next = await childOf(next)) last = next;
  return last;
}

async function sleeps(pid: number): Promise<boolean> {
  const program = await programOf(pid);
  return program !== undefined && (await readFile(`/proc/${program}/comm`, "utf8").catch(() => "")).trim() === "sleep";
}
