import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { reasonToSkip } from "./check.js";
import { runConformance } from "./runner.js";
import { isRecord, readVectorFiles } from "./vector-file.js";

const VECTORS = fileURLToPath(new URL("./vectors", import.meta.url));

/** Proposals that no kubelet has merged, one case that the kubelet's own code contradicts, and what hooklet has no use for. */
const SKIPPED: readonly string[] = [
  "SKIP admission-remove-missing-extended-resources: request for extended resource backed by DRA should be removed if Allocatable is 0: hooklet has no DRA",
  "SKIP admission-remove-missing-extended-resources: request for implicit extended resource backed by DRA should be removed: hooklet has no DRA",
  "SKIP cgroups-shares-equal-after-v2-roundtrip: does not match identity when conversion is lossy: hooklet never reads a CPU weight back",
  "SKIP cgroups-shares-equal-after-v2-roundtrip: does not match nearby non-roundtrip readback: hooklet never reads a CPU weight back",
  "SKIP cgroups-shares-equal-after-v2-roundtrip: matches lossy cgroup v2 readback for 50m: hooklet never reads a CPU weight back",
  "SKIP cgroups-weight-to-shares: weight 1000: hooklet never reads a CPU weight back",
  "SKIP cgroups-weight-to-shares: weight 100: hooklet never reads a CPU weight back",
  "SKIP cgroups-weight-to-shares: weight 1: hooklet never reads a CPU weight back",
  "SKIP cgroups-weight-to-shares: weight 2: hooklet never reads a CPU weight back",
  "SKIP cgroups-weight-to-shares: weight 39: hooklet never reads a CPU weight back",
  "SKIP cgroups-weight-to-shares: weight 3: hooklet never reads a CPU weight back",
  "SKIP cgroups-weight-to-shares: weight 4: hooklet never reads a CPU weight back",
  "SKIP cgroups-weight-to-shares: weight 5000: hooklet never reads a CPU weight back",
  "SKIP cgroups-weight-to-shares: weight 500: hooklet never reads a CPU weight back",
  "SKIP cgroups-weight-to-shares: weight 5: hooklet never reads a CPU weight back",
  "SKIP cgroups-weight-to-shares: weight 79: hooklet never reads a CPU weight back",
  "SKIP device-allocate: DRA extended resource, gate on: left to DRA: hooklet has no DRA",
  "SKIP device-checkpoint: BootID outside Data (newest stored version only): unmerged",
  "SKIP device-checkpoint: no pods, no resources: the kubelet's own code says otherwise",
  "SKIP device-checkpoint: v1 file (1.19 and older): DeviceIDs is a list: unmerged",
  "SKIP device-pod-devices: owner by resource and device (newest): unmerged",
  "SKIP eviction-kill-grace: pod already being deleted with less: core, not eviction, keeps the shorter time of a deletion under way",
  "SKIP imagegc-schedule: image detection every 5 minutes, image list cache every 30 seconds: hooklet asks the runtime for the list of images each time",
  "SKIP pod-source: cannot get pod source: hooklet's sources mark every pod",
  "SKIP probe-http-check: redirect bogus other host, follow_other_hosts=True: a kubelet's probes follow no redirect to another host",
  "SKIP probe-result-actions: liveness failure: the kubelet's sync of a pod and words of its log; hooklet has neither",
  "SKIP probe-result-actions: liveness success: the kubelet's sync of a pod and words of its log; hooklet has neither",
  "SKIP probe-result-actions: pod no longer known: the kubelet's sync of a pod and words of its log; hooklet has neither",
  "SKIP probe-result-actions: readiness failure: the kubelet's sync of a pod and words of its log; hooklet has neither",
  "SKIP probe-result-actions: readiness success: the kubelet's sync of a pod and words of its log; hooklet has neither",
  "SKIP probe-result-actions: startup failure: the kubelet's sync of a pod and words of its log; hooklet has neither",
  "SKIP probe-result-actions: startup success: the kubelet's sync of a pod and words of its log; hooklet has neither",
  "SKIP probe-result-actions: startup unknown: the kubelet's sync of a pod and words of its log; hooklet has neither",
  "SKIP probe-worker: liveness: container terminated with 0, policy OnFailure, older rule: the rule of older kubelets",
  "SKIP probe-worker: readiness: container terminated with 0, policy OnFailure, older rule: the rule of older kubelets",
  "SKIP probe-worker: startup: container terminated with 0, policy OnFailure, older rule: the rule of older kubelets",
].sort();

test("hooklet answers every vector as the kubelet does", async () => {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const summary = await runConformance(VECTORS, { print });
  expect(lines.filter((line) => line.startsWith("FAIL"))).toEqual([]);
  expect(lines.filter((line) => line.startsWith("SKIP")).sort()).toEqual(SKIPPED);
  expect(summary).toMatchObject({ failed: 0, skipped: SKIPPED.length });
  expect(summary.passed).toBeGreaterThan(3000);
}, 120_000);

test("no adapter drops a key of the input that it does not know", async () => {
  const strange = await mkdtemp(join(tmpdir(), "hooklet-vectors-"));
  try {
    for (const file of await readVectorFiles(VECTORS)) {
      const one = file.cases.find((each) => isRecord(each.input) && reasonToSkip(file, each, new Map()) === undefined);
      if (one === undefined) continue;
      const { name, input, expected } = one;
      const cases = [{ name, input: { ...(input as object), strangeKey: 1 }, expected }];
      await writeFile(join(strange, file.file), JSON.stringify({ ...file.content, cases }));
    }
    const lines: string[] = [];
    const summary = await runConformance(strange, { print: (line) => void lines.push(line) });
    expect(summary).toMatchObject({ passed: 0, skipped: 0 });
    expect(lines.filter((line) => !line.includes("strangeKey"))).toEqual([]);
  } finally {
    await rm(strange, { recursive: true });
  }
});

describe("the runner", () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "hooklet-vectors-"));
  });
  afterEach(() => rm(directory, { recursive: true }));

  const adapters = { double: { run: (n: number) => ({ twice: n + n }) } };
  const write = (file: string, content: unknown) =>
    writeFile(join(directory, file), typeof content === "string" ? content : JSON.stringify(content));
  const run = async () => {
    const lines: string[] = [];
    const summary = await runConformance(directory, { adapters, print: (line) => lines.push(line) });
    return { summary, lines };
  };

  test("a wrong answer fails and shows the place, what was expected and what came", async () => {
    await write("a.json", {
      topic: "double",
      cases: [
        { name: "right", input: 2, expected: { twice: 4 } },
        { name: "wrong", input: 2, expected: { twice: 5 } },
      ],
    });
    expect(await run()).toEqual({
      summary: { passed: 1, failed: 1, skipped: 0 },
      lines: ["FAIL double: wrong\n    twice: expected 5, got 4"],
    });
  });

  test("an answer with a key too many or too few fails", async () => {
    await write("a.json", { topic: "double", cases: [{ name: "more", input: 1, expected: { twice: 2, half: 0.5 } }] });
    expect((await run()).summary.failed).toBe(1);
    await write("a.json", { topic: "double", cases: [{ name: "less", input: 1, expected: {} }] });
    expect((await run()).summary.failed).toBe(1);
  });

  test("a topic without an adapter is skipped by name and counted", async () => {
    const one = { name: "x", input: 1, expected: 1 };
    await write("a.json", { topic: "unheard-of", cases: [one, one] });
    await write("b.json", { topic: "constructor", cases: [one] });
    expect(await run()).toEqual({
      summary: { passed: 0, failed: 0, skipped: 3 },
      lines: [
        "SKIP a.json: no adapter for topic unheard-of, 2 cases",
        "SKIP b.json: no adapter for topic constructor, 1 cases",
      ],
    });
  });

  test("an unmerged case is skipped", async () => {
    await write("a.json", {
      topic: "double",
      cases: [{ name: "x", unmerged: true, input: 1, expected: { twice: 9 } }],
    });
    expect((await run()).summary).toEqual({ passed: 0, failed: 0, skipped: 1 });
  });

  test("where a case contradicts the kubelet's own code, only the latter counts", async () => {
    await write("a.json", { topic: "double", cases: [{ name: "old", input: 1, expected: { twice: 3 } }] });
    await write("a.oracle.json", { topic: "double", cases: [{ name: "new", input: 1, expected: { twice: 2 } }] });
    expect((await run()).summary).toEqual({ passed: 1, failed: 0, skipped: 1 });
  });

  test("an adapter that throws is a failed case", async () => {
    await write("a.json", { topic: "double", cases: [{ name: "x", input: 1, expected: {} }] });
    const boom = { double: { run: () => Promise.reject(new Error("boom")) } };
    expect(await runConformance(directory, { adapters: boom })).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });

  test("a case that is never answered fails after its time", async () => {
    await write("a.json", { topic: "double", cases: [{ name: "x", input: 1, expected: {} }] });
    const lines: string[] = [];
    const never = { double: { run: () => new Promise(() => undefined) } };
    const summary = await runConformance(directory, {
      adapters: never,
      patience: 20,
      print: (line) => lines.push(line),
    });
    expect(summary.failed).toBe(1);
    expect(lines[0]).toContain("no answer within 20 ms");
  });

  test.each([
    { name: "text that is not JSON", content: "{", error: "a.json is not JSON" },
    { name: "no topic", content: { cases: [] }, error: "a.json is no vector file" },
    {
      name: "a case without expectation",
      content: { topic: "t", cases: [{ name: "n", input: 1 }] },
      error: "cases[0]",
    },
  ])("a file with $name is refused by its name", async ({ content, error }) => {
    await write("a.json", content);
    await expect(run()).rejects.toThrow(error);
  });

  test("an empty folder is refused", async () => {
    await expect(run()).rejects.toThrow("holds no vectors");
  });
});
