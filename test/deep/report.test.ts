/** The page of `--report`, drawn by a real browser without network. Needs Chromium; without it the test is skipped by name. */
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, expect, test } from "@jest/globals";
import { root } from "../sources.js";

const run = promisify(execFile);
const BINARY = path.join(root, "packages/hooklet/bin/hooklet.js");
const BROWSERS = ["chromium", "chromium-browser", "google-chrome"];
const browser = BROWSERS.find((name) => spawnSync(name, ["--version"]).status === 0);
if (browser === undefined && process.env.HOOKLET_TEST_REQUIRE)
  throw new Error("HOOKLET_TEST_REQUIRE is set, but there is no browser: apt-get install chromium");
const folder = mkdtempSync(path.join(tmpdir(), "hooklet-report-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

(browser === undefined ? test.skip : test)(
  "a browser draws the lanes and curves of both runs, and asks for nothing",
  async () => {
    const page = path.join(folder, "report.html");
    const sets = ["kubelet", "largest-usage"].flatMap((one) => ["--set", `plugins.eviction.ranking=${one}`]);
    const scenario = path.join(root, "examples/scenarios/memory-runs-out.yaml");
    await run(process.execPath, [BINARY, "compare", scenario, ...sets, "--report", page]);
    const quiet = [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      `--user-data-dir=${folder}/profile`,
      "--virtual-time-budget=5000",
    ];
    const address = pathToFileURL(page).href;
    const { stdout, stderr } = await run(
      browser as string,
      [...quiet, "--enable-logging=stderr", "--dump-dom", address],
      {
        maxBuffer: 64 * 1024 ** 2,
      },
    );
    // Three curves for each of two runs; the page counts what it has drawn.
    expect(stdout).toContain('data-drawn="6"');
    expect(stdout.match(/<canvas/g)).toHaveLength(6);
    expect(stdout.match(/<svg class="lanes"/g)).toHaveLength(2);
    expect(stderr).not.toMatch(/Uncaught|Refused to/);
  },
  300_000,
);
