/** What a real kubelet 1.33 wrote for three pods (test/golden/cgroups-v1.txt): read for tests. */
import { readFileSync } from "node:fs";
import type { Pod } from "@hooklet/core";
import { aPod, both } from "./world.js";

export interface GoldenFile {
  /** `/kubepods/burstable/<burstable>/<main>`: pods and containers by name. */
  readonly cgroup: string;
  readonly file: string;
  readonly value: string;
}

const text = readFileSync(new URL("../golden/cgroups-v1.txt", import.meta.url), "utf8");

/** The values of every cgroup file. */
export const goldenFiles: readonly GoldenFile[] = text.split("\n").flatMap((line) => {
  const [, place, file, value] = /^[a-z]+(\/kubepods.*)\/([a-z_.]+): (.*)$/.exec(line) ?? [];
  if (place === undefined || file === undefined || value === undefined) return [];
  return [{ cgroup: place.replace(/pod<uid of (\w+)>/, "<$1>"), file, value }];
});

/** oom_score_adj that the kubelet asked the runtime for, by pod. */
export const goldenOomScores: ReadonlyMap<string, number> = new Map(
  [...text.matchAll(/^container (\w+)-node1\/main .*asked by kubelet in CRI: (-?\d+)\)$/gm)].map(([, pod, score]) => [
    pod ?? "",
    Number(score),
  ]),
);

/** The three pods that it ran. */
export const goldenPods: readonly Pod[] = [
  aPod("guaranteed", [both({ cpu: "1", memory: "256Mi" })]),
  aPod("burstable", [{ requests: { cpu: "250m", memory: "64Mi" }, limits: { cpu: "500m", memory: "128Mi" } }]),
  aPod("besteffort"),
];

/** The machine: 2 processors, this much memory, so many processes at most; podPidsLimit was 1024. */
export const goldenMachine = { cpu: "2", memory: "25276514304", pid: "32768" };
export const GOLDEN_PIDS = 1024;
