/** A real root dir whose files are damaged while no agent runs: the next one starts, and containers are neither lost nor doubled. */
import { mkdirSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { until, type V1Pod, Workplace } from "../support/agent.js";
import { chooseJobs, costsContainer, type Job, mustBeNamed, titleOf } from "../support/damaged/choice.js";
import { type DamageName, damageNames, damages } from "../support/damaged/damages.js";
import {
  appliedObjects,
  config,
  DOOMED,
  doomedPod,
  KEPT,
  REAPPLIED,
  STEADY,
  staticPods,
  wordsOf,
} from "../support/damaged/pods.js";
import { podOf, stampOf, stateFiles } from "../support/damaged/root-dir.js";
import { processesWith } from "../support/processes.js";

/** Starts on damaged files; HOOKLET_DAMAGES_ROUNDS=1000 goes on until each file was damaged in each way. */
const ROUNDS = Number(process.env.HOOKLET_DAMAGES_ROUNDS ?? 3);
/** Files that are damaged before one start; HOOKLET_DAMAGES_AT_ONCE=1 shows what each damage does alone. */
const AT_ONCE = Number(process.env.HOOKLET_DAMAGES_AT_ONCE ?? 1000);
/** Part of what is damaged how, as `FILE: DAMAGE`. */
const ONLY = new RegExp(process.env.HOOKLET_DAMAGES ?? "");
/** Far beyond what a busy machine needs, and beyond a container's first back-offs. */
const PATIENCE_S = 300;

type Damaged = Job<DamageName>;

const mark = `damaged-${process.pid}`;
/** Root reads unreadable files, and mounts. */
const asRoot = process.getuid?.() === 0 ? test : test.skip;

let place: Workplace;
let outside: string;

beforeAll(async () => {
  place = await Workplace.create();
  outside = path.join(place.folder, "outside");
  await writeFile(path.join(place.folder, "rc.json"), config);
  await writeFile(path.join(place.folder, "applied.yaml"), appliedObjects(mark));
  for (const [name, text] of Object.entries(staticPods(mark))) await place.manifest(`${name}.yaml`, text);
});

afterAll(async () => {
  // Who removes the pods is an agent.
  if (!place.runs) await start().catch(() => undefined);
  await place.remove();
}, 240_000);

const start = (): Promise<void> =>
  place.start("--config", path.join(place.folder, "rc.json"), "--node-name", "node", "--log-level", "info");

/** A pod that is there already stays as it is. */
async function apply(): Promise<void> {
  let said = "";
  const applied = async (): Promise<boolean> => {
    const { code, stderr } = await place.hooklet("apply", "-f", path.join(place.folder, "applied.yaml"));
    said = stderr;
    return code === 0;
  };
  await until(() => `what is applied is taken: ${said}`, applied, PATIENCE_S);
}

const pidsOf = (name: string): readonly number[] => [...processesWith(wordsOf(mark, name)).keys()];

/** Process ids of the pods that no damage may cost a container. */
const keptPids = (): Readonly<Record<string, string>> =>
  Object.fromEntries(KEPT.map((name) => [name, pidsOf(name).join()]));

/** Without the node's name, which static pods have at the end. */
const nameOf = ({ metadata }: V1Pod): string => metadata.name.replace(/-node$/, "");

const stateOf = (pod: V1Pod) => pod.status.containerStatuses?.[0]?.state;

/** One pod of each name with one process each, and no pod waits for anything but its back-off. */
function isSettled(pods: readonly V1Pod[]): boolean {
  const runsOnce = (name: string): boolean => {
    const found = pods.filter((pod) => nameOf(pod) === name);
    return found.length === 1 && found.every((pod) => stateOf(pod)?.running !== undefined) && pidsOf(name).length === 1;
  };
  const waits = pods.some((pod) => (stateOf(pod)?.waiting?.reason ?? "CrashLoopBackOff") !== "CrashLoopBackOff");
  return !waits && STEADY.every(runsOnce);
}

async function settle(): Promise<void> {
  let pods: readonly V1Pod[] = [];
  const words = (): string =>
    pods.map((pod) => `${pod.metadata.name} ${JSON.stringify(stateOf(pod))} pids ${pidsOf(nameOf(pod))}`).join();
  const settled = async (): Promise<boolean> => {
    pods = await place.pods();
    return isSettled(pods);
  };
  await until(() => `all run once: ${words()}`, settled, PATIENCE_S);
}

/** Another pod in place of the doomed one: the next round's starts from no back-off. */
async function renewDoomed(number: number): Promise<void> {
  const before = (await place.pod(DOOMED))?.metadata.uid;
  await place.manifest(`${DOOMED}.yaml`, doomedPod(mark, number));
  await until("the doomed pod is another", async () => (await place.pod(DOOMED))?.metadata.uid !== before, PATIENCE_S);
  await settle();
}

function mayBeDamaged(file: string): boolean {
  if (!costsContainer(file)) return true;
  const pod = podOf(place.rootDir, file);
  return file.startsWith("api-pods/") ? pod === REAPPLIED : pod === DOOMED || pod === "crash";
}

function nextJobs(round: number, done: ReadonlySet<string>): readonly Damaged[] {
  const files = stateFiles(place.rootDir).filter(mayBeDamaged);
  const jobs = chooseJobs(files, damageNames, round, done);
  return jobs.filter((job) => ONLY.test(titleOf(job))).slice(0, AT_ONCE);
}

function damage(jobs: readonly Damaged[]): void {
  rmSync(outside, { recursive: true, force: true });
  mkdirSync(outside);
  for (const [at, job] of jobs.entries())
    damages[job.damage](path.join(place.rootDir, job.file), path.join(outside, String(at)));
}

/** What the log must name and does not. `from`: where it begins in the output. */
function untold(jobs: readonly Damaged[], from: number): readonly string[] {
  const lines = place.output.slice(from).split("\n");
  const warnings = lines.filter((line) => /WARN|ERROR/.test(line));
  return jobs.flatMap((job) => {
    const name = mustBeNamed(job);
    const isTold = name === undefined || warnings.some((line) => line.includes(path.join(place.rootDir, name)));
    return isTold ? [] : [`${titleOf(job)}: not told`];
  });
}

/** Damages files of an agent that was killed, and starts the next one; what is wrong with that. */
async function findings(round: number, jobs: readonly Damaged[]): Promise<readonly string[]> {
  const pids = keptPids();
  damage(jobs);
  const stamp = stampOf(outside);
  const from = place.output.length;
  await start();
  await apply();
  await settle();
  await until("all is told", async () => untold(jobs, from).length === 0).catch(() => undefined);
  await renewDoomed(round + 1);
  const lost = KEPT.filter((name) => pidsOf(name).join() !== pids[name]);
  const unforeseen = place.output.slice(from).match(/^.*unforeseen.*$/gim) ?? [];
  return [
    ...untold(jobs, from),
    ...lost.map((name) => `round ${round}: ${name} was ${pids[name]}, is ${pidsOf(name)}`),
    ...unforeseen.map((line) => `round ${round}: ${line}`),
    ...(stampOf(outside) === stamp ? [] : [`round ${round}: a file outside was written to`]),
  ];
}

asRoot(
  "whatever a state file has become, the agent starts, reports it, follows no link, and neither loses nor doubles a container",
  async () => {
    await start();
    await apply();
    await settle();
    await until("done has ended", async () => (await place.pod("done"))?.status.phase === "Succeeded", PATIENCE_S);
    const done = new Set<string>();
    const found: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await place.kill();
      const jobs = nextJobs(round, done);
      if (jobs.length === 0) break;
      for (const job of jobs) done.add(titleOf(job));
      const titles = jobs.map(titleOf).join("; ");
      const all = await findings(round, jobs).catch((error: Error) => {
        throw new Error(`${[...found, error.message].join("\n")}\nround ${round}: ${titles}`, { cause: error });
      });
      found.push(...all);
      if (process.env.HOOKLET_DAMAGES_ROUNDS) process.stderr.write(`${[`${round}: ${titles}`, ...all].join("\n  ")}\n`);
    }
    expect(found).toEqual([]);
    expect(done.size).toBeGreaterThan(ONLY.source === "(?:)" ? 20 : 0);
  },
  3_600_000,
);
