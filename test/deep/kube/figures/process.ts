/** What a process of this machine costs. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Seconds of processor time, its ended children included. */
export function cpuSeconds(pid: number): number {
  const [, , , , , , , , , , , user, system, children, childrenSystem] = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/\(.*\)/, "name")
    .split(" ")
    .map(Number);
  const hertz = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
  return ((user ?? 0) + (system ?? 0) + (children ?? 0) + (childrenSystem ?? 0)) / hertz;
}

/** MiB. */
export function resident(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

/** First processes by container id. */
export function containerPids(endpoint: string): ReadonlyMap<string, number> {
  const words = ["-a", endpoint.replace("unix://", ""), "-n", "k8s.io", "tasks", "ls"];
  const lines = execFileSync("ctr", words, { encoding: "utf8" }).trim().split("\n").slice(1);
  return new Map(lines.map((line) => line.split(/\s+/)).map(([id = "", pid]) => [id, Number(pid)]));
}
