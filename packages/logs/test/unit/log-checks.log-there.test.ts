import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@hooklet/utils";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { assertLogThere } from "../../src/log-checks.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hk-logs-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const there = (file: string, clock = systemClock) => assertLogThere(clock, { path: join(folder, file) });

test("a log file that is there is well", async () => {
  await writeFile(join(folder, "0.log"), "");
  await there("0.log");
});

test.each([
  { name: "the file", file: "0.log", missing: "0.log" },
  { name: "its folder and the one above", file: "pod/main/0.log", missing: "pod" },
])("$name that is not there is named in the kubelet's words, with what to do", async ({ file, missing }) => {
  await expect(there(file)).rejects.toMatchObject({
    code: "NOT_FOUND",
    message: expect.stringMatching(
      `^failed to try resolving symlinks in path "${join(folder, file)}": lstat ${join(folder, missing)}: no such file or directory\\. .*node\\.podLogsDir`,
    ),
  });
});

test("a log that is just being rotated is waited for", async () => {
  let waits = 0;
  const clock: typeof systemClock = {
    ...systemClock,
    schedule: (_, done) => {
      waits += 1;
      return systemClock.schedule(0, () => void writeFile(join(folder, "0.log"), "").then(done));
    },
  };
  await there("0.log", clock);
  expect(waits).toBe(1);
});
