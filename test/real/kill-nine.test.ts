import { readdirSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { until, type V1Pod, Workplace } from "../support/agent.js";
import { testRuns } from "../test-seed.mjs";

/** How long agents come and go. */
const SECONDS = testRuns(30, 6);
const PODS = 20;

let place: Workplace;

beforeAll(async () => {
  place = await Workplace.create();
  for (let i = 0; i < PODS; i++) await place.manifest(`p${i}.yaml`, pod(i));
  const rc = "node: { containerLogMaxSize: 4Ki, containerLogMaxFiles: 100, evictionHard: {} }\n";
  await writeFile(path.join(place.folder, ".hookletrc.yaml"), rc);
});

afterAll(() => place.remove(), 120_000);

const COUNT = 'n=0; trap "exit 0" TERM; while :; do n=$((n+1)); echo $n; sleep 0.05; done';

/** Half of them run on and count, a quarter crash every few seconds, a quarter end well once. Each life leaves a line behind. */
function pod(i: number): string {
  const command = i % 4 === 0 ? "sleep 2; exit 3" : i % 4 === 1 ? "sleep 1; exit 0" : COUNT;
  return `
apiVersion: v1
kind: Pod
metadata: { name: p${i} }
spec:
  restartPolicy: ${i % 4 === 1 ? "OnFailure" : "Always"}
  terminationGracePeriodSeconds: 2
  volumes: [{ name: lives, hostPath: { path: ${place.folder}/lives, type: DirectoryOrCreate } }]
  containers:
    - name: main
      image: host
      command: [sh, -c, 'echo >> /lives/p${i}; ${command}']
      volumeMounts: [{ name: lives, mountPath: /lives }]
`;
}

const main = (pod: V1Pod) => pod.status.containerStatuses?.[0];

const numberOf = (pod: V1Pod): number => Number(/^p(\d+)-/.exec(pod.metadata.name)?.[1]);

async function lives(name: string): Promise<number> {
  return (await readFile(`${place.folder}/lives/${name}`, "utf8")).split("\n").length - 1;
}

/**
 * The files of a pod's log, the oldest first. What an agent that was killed in a compression has left of its work does not count: half
 * of a file, and a file of which all is compressed already.
 */
async function logsOf({ metadata: { name, uid } }: V1Pod): Promise<readonly string[]> {
  const folder = path.join(place.rootDir, "logs", `default_${name}_${uid}`, "main");
  const all = await readdir(folder);
  const files = all
    .filter((file) => file !== "0.log" && !file.endsWith(".tmp") && !all.includes(`${file}.gz`))
    .toSorted();
  return [...files, ...all.filter((file) => file === "0.log")].map((file) => path.join(folder, file));
}

/** Whether all of it that is on record has its place in the pod's status: starts, and restarts. */
async function countsAll(pod: V1Pod): Promise<boolean> {
  return (await lives(`p${numberOf(pod)}`)) === (main(pod)?.restartCount ?? -1) + 1;
}

/** What a pod has printed, by its log and those that were rotated away. */
async function reported(pod: V1Pod): Promise<readonly string[]> {
  const pieces = (await logsOf(pod)).map(async (file) => {
    const bytes = await readFile(file);
    return file.endsWith(".gz") ? gunzipSync(bytes) : bytes;
  });
  return Buffer.concat(await Promise.all(pieces))
    .toString()
    .trimEnd()
    .split("\n");
}

test(
  "an agent that is killed again and again loses, doubles and miscounts no container and no line of its output",
  async () => {
    await place.start();
    await until(
      "all pods have started",
      async () => (await place.pods()).filter((pod) => main(pod)?.containerID).length === PODS,
      120,
    );
    const ids = (pods: readonly V1Pod[]) =>
      Object.fromEntries(
        pods.filter((pod) => numberOf(pod) % 4 > 1).map((pod) => [pod.metadata.name, main(pod)?.containerID]),
      );
    const steady = ids(await place.pods());
    expect(Object.keys(steady)).toHaveLength(PODS / 2);
    const end = Date.now() + SECONDS * 1000;
    for (let round = 0; Date.now() < end; round++) {
      await new Promise((resolve) => setTimeout(resolve, 500 + ((round * 937) % 2500)));
      await place.kill();
      await place.start();
      expect(await place.pods()).toHaveLength(PODS);
    }
    await until("those that end once have ended", async () =>
      (await place.pods()).every((pod) => numberOf(pod) % 4 !== 1 || pod.status.phase === "Succeeded"),
    );
    // Between a start and the line that it leaves behind, or the status that tells of it, lies a moment.
    await until("each start of those that crash is counted", async () => {
      const crashing = (await place.pods()).filter((pod) => numberOf(pod) % 4 === 0);
      return (await Promise.all(crashing.map(countsAll))).every(Boolean);
    });
    const pods = await place.pods();
    expect(ids(pods)).toEqual(steady);
    for (const pod of pods) {
      const number = numberOf(pod);
      const status = main(pod);
      const started = await lives(`p${number}`);
      if (number % 4 !== 0)
        expect({ pod: pod.metadata.name, started, restarts: status?.restartCount }).toEqual({
          pod: pod.metadata.name,
          started: 1,
          restarts: 0,
        });
      if (number % 4 === 1) expect(pod.status.phase).toBe("Succeeded");
      if (number % 4 > 1) expect(status?.state.running).toBeDefined();
    }
    const counting = pods.filter((pod) => numberOf(pod) % 4 > 1);
    const isRotated = async (pod: V1Pod): Promise<boolean> => (await logsOf(pod)).length > 1;
    await until("a log is rotated", async () => (await Promise.all(counting.map(isRotated))).includes(true));
    await place.kill();
    const before = (await Promise.all(counting.map(reported))).map(({ length }) => length);
    await place.start();
    // A file that is rotated in this moment is looked for again.
    const goesOn = (pod: V1Pod, i: number): Promise<boolean> =>
      reported(pod).then(
        ({ length }) => length > (before[i] ?? 0),
        () => false,
      );
    await until("each log goes on", async () => (await Promise.all(counting.map(goesOn))).every(Boolean));
    await place.kill();
    const output = await Promise.all(counting.map(reported));
    await place.start();
    for (const lines of output) {
      expect(lines.length).toBeGreaterThan(SECONDS);
      expect(lines.map((line) => line.replace(/^\S+ stdout F /, ""))).toEqual(lines.map((_, at) => String(at + 1)));
    }
    expect(corrupt(place.rootDir)).toEqual([]);
  },
  (SECONDS + 400) * 1000,
);

/** What was put aside as damaged below a folder, where others go on making and removing. */
function corrupt(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const at = path.join(folder, entry.name);
      return [...(entry.name.includes(".corrupt-") ? [at] : []), ...(entry.isDirectory() ? corrupt(at) : [])];
    });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
