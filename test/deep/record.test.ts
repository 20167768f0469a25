/** A live node, recorded: the scenario has the same pods, and the simulated node decides as the live one would. */
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { hooklet, until, Workplace } from "../support/agent.js";

const LIMIT = 300_000;

function manifest(name: string, cpu: string, more: object = {}): string {
  const env = [{ name: "TOKEN", value: "SECRET" }];
  const container = { name: "main", image: "host", command: ["sleep", "600"], env, resources: { requests: { cpu } } };
  const spec = { terminationGracePeriodSeconds: 1, containers: [container], ...more };
  return JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name }, spec });
}

const CRITICAL = manifest("dns", "1", { priorityClassName: "system-node-critical" });

let place: Workplace;
let recorded: string;
let critical: string;

async function said(...args: readonly string[]): Promise<string> {
  const { stdout, stderr, code } = await place.hooklet(...args);
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

interface Planned {
  readonly outcome: string;
  readonly considered: readonly { readonly candidate: string; readonly verdict: string; readonly why: string }[];
}

/** What would become of a critical pod, without what tells one run from another. */
function victims(text: string): readonly Omit<Planned, "at">[] {
  return (JSON.parse(text) as readonly Planned[]).map(({ outcome, considered }) => ({ outcome, considered }));
}

beforeAll(async () => {
  place = await Workplace.create();
  const rc = path.join(place.folder, "rc.json");
  const node = { name: "node7", capacity: { cpu: "2", memory: "2Gi" }, maxPods: 20, evictionHard: {} };
  const plugins = [["preemption", { victims: "lowest-priority-first" }]];
  await writeFile(rc, JSON.stringify({ node, plugins }));
  await place.start("--config", rc);
  const pods = path.join(place.folder, "pods.yaml");
  await writeFile(
    pods,
    [manifest("web", "600m", { priority: 7 }), manifest("cache", "500m"), manifest("db", "700m", { priority: 9 })].join(
      "\n---\n",
    ),
  );
  await said("apply", "-f", pods);
  await until("they run", async () => {
    const phases = (await place.pods()).map(({ status }) => status.phase);
    return phases.length === 3 && phases.every((phase) => phase === "Running");
  });
  recorded = path.join(place.folder, "recorded.yaml");
  critical = path.join(place.folder, "dns.yaml");
  await writeFile(critical, CRITICAL);
  await said("record", "--output-file", recorded);
}, LIMIT);

afterAll(() => place?.remove(), LIMIT);

test("what is written has the node, its options and its pods, and none of their secrets", async () => {
  const text = readFileSync(recorded, "utf8");
  expect(text).toContain("name: node7");
  expect(text).toContain("lowest-priority-first");
  expect(text).not.toContain("SECRET");
  expect(await hooklet(["check", recorded], place.folder)).toMatchObject({ code: 0, stderr: "" });
});

test(
  "the same pods run there",
  async () => {
    const { stdout, code, stderr } = await hooklet(["simulate", recorded, "-o", "jsonl"], place.folder);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const running = stdout
      .split("\n")
      .filter((line) => line.includes('"kind":"pod.phase"') && line.includes('"Running"'))
      .map((line) => (JSON.parse(line) as { readonly pod: string }).pod);
    expect(running.sort()).toEqual(["default/cache", "default/db", "default/web"]);
  },
  LIMIT,
);

test(
  "the same pods would go for a critical one, for the same reasons",
  async () => {
    const question = ["plan", "preemption", "-f", critical];
    const live = victims(await said(...question, "-o", "json"));
    const simulated = await hooklet([...question, "--scenario", recorded, "-o", "json"], place.folder);
    expect(simulated).toMatchObject({ code: 0, stderr: "" });
    expect(live.length).toBeGreaterThan(0);
    expect(victims(simulated.stdout)).toEqual(live);
  },
  LIMIT,
);
