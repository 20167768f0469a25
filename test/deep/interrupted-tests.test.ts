/** `npm test` that is interrupted: what its tests have started goes with it, and nothing else. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { root } from "../sources.js";
import { until } from "../support/agent.js";

const LIMIT = 420_000;

let folder: string;
let others: ChildProcess;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hk-interrupted-"));
  others = spawn("sleep", ["100001"], { stdio: "ignore" });
});
afterEach(async () => {
  others.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

/** Processes that the run has started, and what is in its containers. */
function running(run: string): readonly string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((id) => ["cmdline", "environ", "mountinfo"].some((file) => read(`/proc/${id}/${file}`).includes(run)));
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // It has ended meanwhile, or is another user's.
    return "";
  }
}

test(
  "a run that is interrupted takes its agents, containers, programs and folders along",
  async () => {
    const recorded = path.join(folder, "recorded");
    const words = ["deep", "--testMatch", "**/endless.story.ts", "--runInBand"];
    const tests = spawn(process.execPath, [path.join(root, "scripts/jest.mjs"), ...words], {
      cwd: root,
      env: { ...process.env, HOOKLET_TOLD: recorded },
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    tests.stderr.on("data", (data: Buffer) => (said += data.toString()));
    const ended = new Promise((resolve) => tests.once("exit", resolve));
    await until(
      () => `the story should be under way: ${said}`,
      async () => read(recorded) !== "",
      300,
    );
    const run = path.dirname(read(recorded));
    // jest, its agent, the shim of a container, the container, the program of the test.
    expect(running(run).length).toBeGreaterThanOrEqual(5);
    tests.kill("SIGINT");
    expect(await ended).toBe(130);
    expect(running(run)).toEqual([]);
    expect(existsSync(run)).toBe(false);
    // The end of another child would be reported in the same turn.
    await new Promise((resolve) => setImmediate(resolve));
    expect([others.exitCode, others.signalCode]).toEqual([null, null]);
    // The last words may come after the exit.
    await until("it says why it ends", async () => said.includes("SIGINT: the tests are interrupted"));
  },
  LIMIT,
);
