import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";
import { root } from "../../sources.js";

test("the API reports of core's entries are current: a change of the contract shows in the diff", async () => {
  const script = path.join(root, "scripts/api-report.mjs");
  const { stdout } = await promisify(execFile)(process.execPath, [script, "--check"]).catch((error) => error);
  expect(stdout).toBe("");
}, 120_000);
