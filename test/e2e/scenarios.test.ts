/** The scenarios of examples/scenarios: what they expect comes true, the same bytes each time, and restarts of the agent change nothing. */
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "@jest/globals";
import { root } from "../sources.js";

const run = promisify(execFile);
const BINARY = path.join(root, "packages/hooklet/bin/hooklet.js");
const FOLDER = path.join(root, "examples/scenarios");
const scenarios = readdirSync(FOLDER).filter((name) => name.endsWith(".yaml"));

interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function hooklet(...args: readonly string[]): Promise<Result> {
  const options = { cwd: FOLDER, maxBuffer: 1024 ** 3 };
  return run(process.execPath, [BINARY, ...args], options).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}

test("there is a scenario for each plugin", () => {
  expect(scenarios.length).toBeGreaterThanOrEqual(6);
});

describe.each(scenarios)("%s", (name) => {
  test("is well formed", async () => {
    expect(await hooklet("check", name)).toMatchObject({ code: 0, stderr: "" });
  });

  test("ends as it expects, and tells the same bytes each time", async () => {
    const first = await hooklet("simulate", name, "-o", "jsonl");
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(first.stdout.split("\n").length).toBeGreaterThan(20);
    const again = await hooklet("simulate", name, "-o", "jsonl");
    expect(again.stdout === first.stdout).toBe(true);
  });

  test("ends the same with the agent restarted at any event", async () => {
    const { code, stderr } = await hooklet("simulate", name, "-o", "junit", "--try-restarts");
    expect(stderr).toMatch(/^\d+ restarts of the agent tried, one a run: none changes the end\n$/);
    expect(code).toBe(0);
  }, 300_000);
});
