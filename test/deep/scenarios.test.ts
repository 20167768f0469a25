/** The scenarios of examples/scenarios: what they expect comes true, the same bytes each time, and restarts of the agent change nothing. */
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, jest, test } from "@jest/globals";
import { root } from "../sources.js";

const run = promisify(execFile);
const BINARY = path.join(root, "packages/hooklet/bin/hooklet.js");
const FOLDER = path.join(root, "examples/scenarios");
/** Milliseconds, for a machine that has more to do: a command's end comes before its test's, of two commands at most. */
const PATIENCE = 280_000;
jest.setTimeout(2 * PATIENCE + 20_000);
const scenarios = readdirSync(FOLDER).filter((name) => name.endsWith(".yaml"));

interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function hooklet(...args: readonly string[]): Promise<Result> {
  const options = { cwd: FOLDER, maxBuffer: 1024 ** 3, timeout: PATIENCE };
  return run(process.execPath, [BINARY, ...args], options).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}

/** As on another machine: its time zone, its language, its home, the umask, and the working directory. */
async function elsewhere(...args: readonly string[]): Promise<string> {
  const env = {
    ...process.env,
    TZ: "Asia/Kathmandu",
    LC_ALL: "tr_TR.UTF-8",
    LANG: "tr_TR.UTF-8",
    HOME: "/nonexistent",
  };
  const words = ["-c", 'umask 077 && exec "$@"', "sh", process.execPath, BINARY, ...args];
  const { stdout } = await run("sh", words, { cwd: "/", env, maxBuffer: 1024 ** 3, timeout: PATIENCE });
  return stdout;
}

/** What a scenario prints; run once for all tests of it. */
const simulated = new Map<string, Promise<Result>>();
function simulation(name: string): Promise<Result> {
  const known = simulated.get(name) ?? hooklet("simulate", name, "-o", "jsonl");
  simulated.set(name, known);
  return known;
}

/** Who decides, or acts, in which story. */
const STORIES = [
  ["probe", "probe-life.yaml", '"plugin":"@hooklet/plugin-probe"'],
  ["imagegc", "disk-fills-up.yaml", '"plugin":"@hooklet/plugin-imagegc"'],
  ["devices", "gpus-on-two-numa-nodes.yaml", '"plugin":"@hooklet/plugin-devices"'],
  ["preemption", "critical-pod-on-full-node.yaml", '"plugin":"@hooklet/plugin-preemption"'],
  ["cgroups", "who-gets-throttled.yaml", '"kind":"cgroup.written"'],
  ["eviction", "memory-runs-out.yaml", '"plugin":"@hooklet/plugin-eviction"'],
  ["objects", "settings-change.yaml", 'configmap \\"settings\\" not found'],
  ["shutdown", "machine-goes-down.yaml", '"plugin":"@hooklet/plugin-shutdown"'],
  // What containers use, in the words of an eviction.
  ["stats", "memory-runs-out.yaml", "Container main was using 3"],
] as const;

test("each of hooklet's own plugins has a story", () => {
  const packages = readdirSync(path.join(root, "packages")).filter((name) => name.startsWith("plugin-"));
  expect(STORIES.map(([plugin]) => `plugin-${plugin}`).sort()).toEqual(packages.sort());
});

test.each(STORIES)("%s shows what plugin-%s does", async (_, name, sign) => {
  const { stdout, code } = await simulation(name);
  expect(code).toBe(0);
  expect(stdout).toContain(sign);
});

test("each is well formed", async () => {
  expect(await hooklet("check", ...scenarios)).toMatchObject({ code: 0, stderr: "" });
});

describe.each(scenarios)("%s", (name) => {
  test("ends as it expects, and prints the same bytes each time, on any machine", async () => {
    const first = await simulation(name);
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(first.stdout.split("\n").length).toBeGreaterThan(20);
    const again = await elsewhere("simulate", path.join(FOLDER, name), "-o", "jsonl");
    expect(again === first.stdout).toBe(true);
  });

  test("ends the same with the agent restarted at any event", async () => {
    const { code, stderr } = await hooklet("simulate", name, "-o", "junit", "--try-restarts");
    expect(stderr).toMatch(/^[1-9]\d* restarts of the agent tried, one a run: none changes the end\n$/);
    expect(code).toBe(0);
  });
});

const scratch = mkdtempSync(path.join(tmpdir(), "hooklet-scenarios-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function scratchFile(name: string, text: string): string {
  const file = path.join(scratch, name);
  writeFileSync(file, text);
  return file;
}

test("why a pod went is explained as on a live agent, and what a plugin would do is planned", async () => {
  const why = await hooklet("explain", "pod", "cache", "--scenario", "critical-pod-on-full-node.yaml", "--at", "61s");
  expect(why.stdout).toMatch(/pod\/default\/cache +victim +Burstable; gives cpu 1000 of 1000; distance 0/);
  const plan = await hooklet("plan", "imagegc", "--until", "40", "--scenario", "disk-fills-up.yaml", "--at", "19m");
  expect(plan.stdout).toMatch(/image\/batch:1 +would be removed/);
  expect([why.code, plan.code]).toEqual([0, 0]);
});

test("a trace of a few pods is recorded and simulated: each comes, runs and is gone", async () => {
  const trace = scratchFile("day.csv", "pod,arrival,duration,cpu,memory\na,0,60,500m,1Gi\nb,30,60,500m,1Gi\n");
  const { stdout } = await hooklet("record", "--from-trace", trace);
  const { code, stdout: records } = await hooklet("simulate", scratchFile("day.yaml", stdout), "-o", "jsonl");
  expect(code).toBe(0);
  const gone = records
    .split("\n")
    .filter((line) => line.includes('"pod.removed"') || line.includes('"phase":"Succeeded"'));
  expect(gone).toHaveLength(4);
});
