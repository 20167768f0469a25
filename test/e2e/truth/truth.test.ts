/**
 * The simulator tells the truth: what scenarios of this folder tell in virtual time is what a real containerd tells in real time.
 * `pnpm truth` runs it; README.md says what is compared.
 */
import { readdirSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { root } from "../../sources.js";
import { type RealRuntime, runtimes } from "../runtimes.js";
import { inRealTime } from "./real.js";
import { simulated } from "./simulated.js";

const folder = path.join(root, "test/e2e/truth/scenarios");
const wanted = process.env.HOOKLET_TRUTH;
const scenarios = readdirSync(folder).filter((name) => wanted === undefined || name.startsWith(wanted));
const LIMIT = 120_000;
const containerd = runtimes.find(({ name }) => name === "real containerd");

const describeTruth = containerd?.lacking === undefined ? describe : describe.skip;

describeTruth("on a real containerd, and in virtual time", () => {
  let runtime: RealRuntime;

  beforeAll(async () => {
    if (containerd !== undefined) runtime = await containerd.start("truth");
  }, LIMIT);
  afterAll(() => runtime?.stop(), LIMIT);

  test.each(scenarios)(
    "%s: each pod has the same events, decisions and states in the same order",
    async (name) => {
      const file = path.join(folder, name);
      const expected = await inRealTime(file, runtime);
      expect(await simulated(file, folder)).toEqual(expected);
    },
    LIMIT,
  );
});

test("there are enough of them", () => {
  expect(readdirSync(folder).length).toBeGreaterThanOrEqual(8);
});
