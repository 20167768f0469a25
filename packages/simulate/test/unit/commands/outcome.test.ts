import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { ScenarioContext } from "../../../src/commands/options.js";
import { runsOf } from "../../../src/commands/outcome.js";

const host = { url: import.meta.url, plugins: [] };
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hooklet-runs-"));
});

afterAll(() => rm(folder, { recursive: true }));

async function scenario(phase: string, code = 0): Promise<void> {
  const pod = {
    metadata: { name: "web" },
    spec: { restartPolicy: "Never", containers: [{ name: "main", image: "web:1" }] },
  };
  const timeline = [
    { at: 1, apply: pod },
    { at: 5, exit: { pod: "web", code } },
  ];
  await writeFile(
    path.join(folder, "s.yaml"),
    JSON.stringify({ timeline, until: "10s", expect: [{ pod: "web", phase }] }),
  );
}

test("the first run gives the end and what fails, the next one what has changed, also after a fault", async () => {
  const context = { io: { cwd: () => folder }, host } as unknown as ScenarioContext;
  const run = runsOf(context, "s.yaml", true);
  await scenario("Failed");
  const first = await run(undefined);
  const why = expect.stringMatching(
    /^s\.yaml(:\d+)? expect\[0\] at 10s: pod web: expected phase Failed, found Succeeded$/,
  );
  expect(first).toMatchObject({ holds: false, verdict: "0 of 1 expectations hold" });
  expect(first.lines).toEqual(["AT THE END   PHASE", expect.stringMatching(/^web +Succeeded/), why]);

  await writeFile(path.join(folder, "s.yaml"), "timeline: 5");
  await expect(run(first.outcome)).rejects.toThrow("timeline");

  await scenario("Failed", 2);
  const next = await run(first.outcome);
  expect(next).toMatchObject({ holds: true, verdict: "1 of 1 expectations hold" });
  expect(next.lines).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^pod web: Succeeded.* -> Failed/),
      expect.stringContaining("no longer: "),
    ]),
  );
  expect((await run(next.outcome)).lines).toEqual([]);
});
