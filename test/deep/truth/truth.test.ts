/**
 * The simulator tells the truth: what scenarios of this folder tell in virtual time is what a real containerd tells in real time.
 * `pnpm truth` runs it; README.md says what is compared.
 */
import { readdirSync } from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { root } from "../../sources.js";
import { type RealRuntime, runtimes } from "../../support/runtimes.js";
import type { Told } from "./events-as-text.js";
import { inRealTime, refuseUnknown, type Scenario } from "./real.js";
import { simulated } from "./simulated.js";

const folder = path.join(root, "test/deep/truth/scenarios");
const all = readdirSync(folder);
/** `HOOKLET_TRUTH=03,05`. */
const wanted = process.env.HOOKLET_TRUTH?.split(",") ?? [""];
const scenarios = all.filter((name) => wanted.some((begin) => name.startsWith(begin)));
/** Most of the time they wait. Each on a containerd of its own: an agent takes what it finds on its runtime for its own. */
const AT_ONCE = 2;
const LIMIT = 600_000;
const containerd = runtimes.find(({ name }) => name === "real containerd");

describe("on a real containerd, and in virtual time", () => {
  const used: RealRuntime[] = [];
  const results = new Map<string, { readonly simulated: Told; readonly real: Told } | { readonly error: unknown }>();

  async function both(name: string, runtime: RealRuntime): Promise<void> {
    const file = path.join(folder, name);
    try {
      const reported = await simulated(file, folder);
      const real = await inRealTime(file, runtime, reported);
      results.set(name, { simulated: reported, real });
      process.stderr.write(`${name}: ${isDeepStrictEqual(reported, real) ? "the same" : "not the same"}\n`);
    } catch (error) {
      results.set(name, { error });
    }
  }

  beforeAll(async () => {
    if (containerd === undefined) throw new Error("there is no runtime named real containerd");
    if (containerd.lacking !== undefined) throw new Error(`a real containerd is needed: ${containerd.lacking}`);
    const left = [...scenarios];
    const worker = async (index: number): Promise<void> => {
      const runtime = await containerd.start(`truth${index}`);
      used.push(runtime);
      for (let name = left.shift(); name !== undefined; name = left.shift()) await both(name, runtime);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => worker(index)));
  }, LIMIT);
  afterAll(async () => {
    for (const runtime of used) await runtime.stop();
  }, LIMIT);

  test.each(scenarios)("%s: each pod has the same events, decisions and states in the same order", (name) => {
    const result = results.get(name);
    if (result === undefined) throw new Error("it was not run");
    if ("error" in result) throw result.error;
    expect(result.simulated).toEqual(result.real);
  });
});

test("there are enough of them", () => {
  expect(all.length).toBeGreaterThanOrEqual(8);
});

test.each<[object, string]>([
  [
    {
      node: {},
      timeline: [
        { at: "0s", apply: {} },
        { at: "1s", fault: {} },
      ],
      until: 1,
    },
    "timeline[1].fault: expected one of at, apply",
  ],
  [{ node: { pids: 5 }, timeline: [], until: 1 }, "node.pids: expected one of cpu"],
  [{ node: {}, registry: [], timeline: [], until: 1 }, "registry: expected one of node"],
])("what only the simulator would do is refused by name: %j", (scenario, text) => {
  expect(() => refuseUnknown(scenario as Scenario)).toThrow(text);
});
