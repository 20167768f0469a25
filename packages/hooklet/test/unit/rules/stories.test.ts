/** The stories of examples/scenarios, run in this process: what the agent and its plugins do, when, and in which words. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { decisionsText } from "@hooklet/cli/extend";
import { describe, expect, test } from "@jest/globals";
import { root } from "../../../../../test/sources.js";
import { failureText } from "../../../../simulate/src/print/summary.js";
import { failuresOf } from "../../../../simulate/src/run/outcome.js";
import { EventTimes, stateDifferences } from "../../../../simulate/src/run/restarts.js";
import { type Job, runJob } from "../../../../simulate/src/subprocess/job.js";
import { printer } from "../../../../simulate/src/subprocess/output.js";
import { defaultPlugins, sourcePlugins } from "../../../src/default-plugins.js";

const FOLDER = path.join(root, "examples/scenarios");
const GOLDEN = path.join(import.meta.dirname, "../../golden/stories");
const host = { url: import.meta.url, plugins: defaultPlugins, sourcePlugins };
const job = (name: string): Job => ({ file: path.join(FOLDER, name), host, variant: {}, seed: 0 });

describe.each(readdirSync(FOLDER).filter((name) => name.endsWith(".yaml")))("%s", (name) => {
  test("gives the same records", async () => {
    const texts: string[] = [];
    const print = printer("events", { write: (text: string) => texts.push(text) > 0 });
    const outcome = await runJob(job(name), (record) => print.record(record));
    print.end(name, outcome);
    const reported = texts.join("");
    const golden = path.join(GOLDEN, name.replace(/\.yaml$/, ".txt"));
    const renew = `build, then run: hooklet simulate --events examples/scenarios/${name} > ${path.relative(root, golden)}`;
    expect({ renew, reported }).toEqual({ renew, reported: readFileSync(golden, "utf8") });
  });
});

// With a restart at each event of each story: test/deep/scenarios.test.ts.
test("a story ends the same with the agent restarted in its middle", async () => {
  const times = new EventTimes();
  const { final } = await runJob(job("memory-runs-out.yaml"), (record) => times.add(record));
  const middle = times.list()[Math.floor(times.list().length / 2)] ?? 0;
  const restarted = await runJob({ ...job("memory-runs-out.yaml"), restarts: [middle] });
  expect(stateDifferences(final, restarted.final)).toEqual([]);
});

test("why a pod went is explained, and what a plugin would do at the end is planned", async () => {
  const why = { explain: { kind: "pod", name: "cache" }, until: 61_000 };
  const { explained = [] } = await runJob({ ...job("critical-pod-on-full-node.yaml"), ...why });
  expect(decisionsText(explained)).toMatch(
    /pod\/default\/cache +victim +Burstable; gives cpu 1000 of 1000; distance 0/,
  );
  const plan = { plan: { plugin: "imagegc", arguments: { until: "40" } }, until: 19 * 60_000 };
  const { planned = [] } = await runJob({ ...job("disk-fills-up.yaml"), ...plan });
  expect(decisionsText(planned)).toMatch(/image\/batch:1 +would be removed/);
});

test("a story that ends too early says what it expected and what it found instead", async () => {
  const outcome = await runJob({ ...job("memory-runs-out.yaml"), until: 60_000 });
  expect(failuresOf(outcome).map((failure) => failureText("FILE", failure))).toEqual([
    "FILE:33 expect[1] at 1m0s: pod leaky: expected phase Failed, found Running; expected reason Evicted, found none",
    "FILE:37 expect[5] at 1m0s: event EvictionThresholdMet: expected at least 1 such event, found 0 (reasons there were: none)",
    "FILE:38 expect[6] at 1m0s: event NodeHasInsufficientMemory: expected 1 such event, found 0 (reasons there were: none)",
  ]);
});
