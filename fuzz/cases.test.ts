import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { CASES, caseName } from "./cases.js";
import type { OpenTarget } from "./target.js";
import { TARGETS } from "./targets/table.js";

/** Microseconds of the processor's time: twice what `pnpm fuzz` allows, for a machine that runs other tests as well. */
const LONGEST = 2_000_000;

describe.each(TARGETS)("$name", (target) => {
  let open: OpenTarget;
  beforeAll(async () => {
    open = await target.open();
  });
  afterAll(() => open.close());

  test("takes each of its well-formed inputs", async () => {
    for (const seed of target.seeds()) expect(["accepted", "refused"]).toContain(await open.run(Buffer.from(seed)));
  });

  const folder = path.join(CASES, caseName(target.name));
  const names = existsSync(folder) ? readdirSync(folder) : [];
  if (names.length === 0) return;
  test.each(names)("case %s crashes nothing and takes no time", async (name) => {
    const input = readFileSync(path.join(folder, name));
    const start = process.cpuUsage();
    expect(["accepted", "refused"]).toContain(await open.run(input));
    const { user, system } = process.cpuUsage(start);
    expect(user + system).toBeLessThan(LONGEST);
  });
});

test("every folder of cases belongs to a target", () => {
  const known = TARGETS.map(({ name }) => caseName(name));
  const folders = existsSync(CASES) ? readdirSync(CASES) : [];
  expect(folders.filter((name) => !known.includes(name))).toEqual([]);
});
