import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { SimulationRecord } from "../../../src/records/record.js";
import { type Job, runJob, tryRestarts, warmUp } from "../../../src/subprocess/job.js";

const host = { url: import.meta.url, plugins: [] };
const SCENARIO = `
description: one pod that ends
timeline:
  - at: 1s
    apply: { metadata: { name: web }, spec: { containers: [{ name: main, image: "web:1" }] } }
  - { at: 20s, exit: { pod: web, code: 3 } }
until: 5m
expect:
  - { at: 10s, pod: web, phase: Running, ready: true }
  - { pod: web, restarts: 1 }
`;

let folder: string;
let job: Job;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hooklet-job-"));
  await writeFile(path.join(folder, "scenario.yaml"), SCENARIO);
  job = { file: path.join(folder, "scenario.yaml"), host, variant: {}, seed: 0 };
});

afterAll(() => rm(folder, { recursive: true }));

async function recordsOf(given: Job): Promise<readonly SimulationRecord[]> {
  const records: SimulationRecord[] = [];
  await runJob(given, (one) => records.push(one));
  return records;
}

test("a warm-up runs nothing of the scenario, and the run after it tells what a run alone tells", async () => {
  const alone = await recordsOf(job);
  await warmUp(host);
  expect(await recordsOf(job)).toEqual(alone);
  expect(alone.length).toBeGreaterThan(5);
});

test("an outcome has the description, the expectations and the end, and nothing that was not asked for", async () => {
  const outcome = await runJob(job);
  expect(outcome).toMatchObject({ description: "one pod that ends", until: 300, faults: [], problems: [], loads: [] });
  expect(outcome.expectations.map(({ failure }) => failure)).toEqual([undefined, undefined]);
  expect(outcome.figures).toMatchObject({ restarts: 1, "containers started": 1 });
  for (const key of ["explained", "planned", "samples", "tried"]) expect(outcome).not.toHaveProperty(key);
});

test("one that ends earlier leaves out what was expected later, and checks the rest at its end", async () => {
  const { until, expectations } = await runJob({ ...job, until: 5000 });
  expect(until).toBe(5);
  expect(expectations).toHaveLength(1);
  expect(expectations[0]?.failure).toMatchObject({
    path: "expect[1]",
    t: 5,
    difference: "expected restarts 1, found 0",
  });
});

test("decisions about what is asked for, and so many moments of the node, are part of it", async () => {
  const { explained = [], samples = [] } = await runJob({ ...job, explain: { kind: "pod", name: "web" }, samples: 5 });
  expect(explained.some(({ subject }) => subject === "container/default/web/main")).toBe(true);
  expect(samples.map(({ running }) => running)).toContain(1);
  expect(samples.length).toBeGreaterThanOrEqual(5);
});

test("a restart of the agent is tried at each time at which something happened, and each leaves this end as it is", async () => {
  const records: SimulationRecord[] = [];
  const { tried = [], until } = await tryRestarts({ ...job, until: 25_000 }, (one) => records.push(one));
  expect(until).toBe(25);
  expect(tried.map(({ t }) => t)).toEqual(expect.arrayContaining([1, 20]));
  expect(tried.flatMap(({ differences }) => differences)).toEqual([]);
  expect(records.filter(({ kind }) => kind === "agent.restarted")).toEqual([]);
});

test("a restart that was asked for is on record", async () => {
  expect((await recordsOf({ ...job, restarts: [30_000] })).filter(({ kind }) => kind === "agent.restarted")).toEqual([
    { t: 30, kind: "agent.restarted" },
  ]);
});
