/** What `npm start` says while it builds, and that it does not outlive npm. */
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { installedText } from "../../../scripts/installed.mjs";
import { buildProgress } from "../../../scripts/steps.mjs";
import { root } from "../../sources.js";
import { processesWith } from "../../support/processes.js";

test("a build reports its part under way, and its own lines are swallowed", () => {
  const build = buildProgress();
  const own = [
    "[\u001b[90m10:40:07 PM\u001b[0m] Projects in this build: ",
    "    * packages/manifest/tsconfig.json",
    "    * packages/core/tsconfig.json\r",
    "    * tsconfig.json",
    "",
    "10:40:07 PM - Project 'packages/manifest/tsconfig.json' is up to date because newest input is older than output",
    "10:40:07 PM - Project 'packages/core/tsconfig.json' is out of date because output 'x' is older than input 'y'",
    "10:40:07 PM - Building project '/home/a/packages/core/tsconfig.json'...",
  ];
  expect(build.text()).toBe("looking what is to be built");
  expect(own.map((line) => build.hears(line))).not.toContain(false);
  expect(build.text()).toBe("2 of 3 parts (packages/core)");
  const fault = "packages/core/src/a.ts(1,2): error TS2322: Type 'string' is not assignable to type 'number'.";
  expect(build.hears(fault)).toBe(false);
});

test("an installation reports the number of packages", () => {
  expect(installedText(root)).toMatch(/^\d+ of \d+ packages$/);
});

test.each(["SIGTERM", "SIGKILL"] as const)("a step ends when npm is gone, by %s", async (signal) => {
  const folder = await mkdtemp(path.join(tmpdir(), "hk-steps-"));
  const steps = path.join(root, "scripts/steps.mjs");
  const step = `await step("Waiting", "sleep", ["600.${process.pid}"], { cwd: "${folder}", far: { text: () => "" } });`;
  const script = path.join(folder, "start.mjs");
  await writeFile(script, `import { step } from ${JSON.stringify(steps)};\n${step}\n`);
  // What ends npm does not reach the step, as with `su -c` or a kill of npm alone.
  const npm = spawn("sh", ["-c", '"$0" "$1" & wait', process.execPath, script], {
    env: { ...process.env, npm_lifecycle_event: "start" },
    stdio: "ignore",
  });
  const running = (): number => processesWith(folder).size + processesWith(`600.${process.pid}`).size;
  await until(() => processesWith(`600.${process.pid}`).size > 0);
  npm.kill(signal);
  await until(() => running() === 0);
  await rm(folder, { recursive: true });
});

async function until(done: () => boolean): Promise<void> {
  for (let tries = 0; tries < 3_000 && !done(); tries += 1) await pause(20);
  expect(done()).toBe(true);
}
