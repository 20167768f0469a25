/** What people and their CI read of a run. */
import { describe, expect, test } from "@jest/globals";
import { bytesText, clockText } from "../../../src/print/clock-text.js";
import { Lines, shortName, subjectOf, textOf } from "../../../src/print/lines.js";
import { failureText, figureLines, figureText, verdictText } from "../../../src/print/summary.js";
import type { Happening, SimulationRecord } from "../../../src/records/record.js";
import type { Failure, Outcome } from "../../../src/run/outcome.js";
import { junitText } from "../../../src/subprocess/output.js";

const at = (t: number, happening: Happening): SimulationRecord => ({ t, ...happening }) as SimulationRecord;

describe("times and amounts", () => {
  test.each([
    [0, "0s"],
    [1.5, "1.5s"],
    [0.0004, "0s"],
    [59.999, "59.999s"],
    [59.9996, "1m0s"],
    // As numbers have it: not quite a minute.
    [90.1 - 30.1, "1m0s"],
    [3599.9999, "1h0m0s"],
    [86_399.9999, "1d0h0m0s"],
    [60, "1m0s"],
    [90, "1m30s"],
    [3599, "59m59s"],
    [3600, "1h0m0s"],
    [3605, "1h0m5s"],
    [86_399, "23h59m59s"],
    [86_400, "1d0h0m0s"],
    [183_661.25, "2d3h1m1.25s"],
  ])("%d seconds are %s", (seconds, text) => {
    expect(clockText(seconds)).toBe(text);
  });

  test.each([
    [0, "0"],
    [1023, "1023"],
    [1024, "1Ki"],
    [-1536, "-1.5Ki"],
    [1.5 * 2 ** 30, "1.5Gi"],
    [2 ** 40, "1Ti"],
    [2 ** 50, "1024Ti"],
  ])("%d bytes are %s", (bytes, text) => {
    expect(bytesText(bytes)).toBe(text);
  });
});

describe("a record in a line", () => {
  const exit = { pod: "default/web", container: "main", attempt: 0, code: 137, reason: "OOMKilled" };
  const victim = { pod: "default/web", message: "low on memory", qos: "Burstable", priority: 5 };
  const lines: readonly { readonly of: Happening; readonly subject: string; readonly text: string }[] = [
    { of: { kind: "pod.applied", pod: "default/web" }, subject: "web", text: "applied" },
    { of: { kind: "pod.admitted", pod: "other/web" }, subject: "other/web", text: "admitted" },
    {
      of: { kind: "pod.rejected", pod: "default/web", reason: "OutOfcpu", message: "no cpu" },
      subject: "web",
      text: "rejected: OutOfcpu: no cpu",
    },
    {
      of: { kind: "pod.preempted", ...victim },
      subject: "web",
      text: "preempted (Burstable, priority 5): low on memory",
    },
    { of: { kind: "pod.evicted", ...victim }, subject: "web", text: "evicted (Burstable, priority 5): low on memory" },
    { of: { kind: "pod.ready", pod: "default/web", ready: true }, subject: "web", text: "ready" },
    { of: { kind: "pod.ready", pod: "default/web", ready: false }, subject: "web", text: "not ready" },
    { of: { kind: "pod.phase", pod: "default/web", phase: "Running" }, subject: "web", text: "phase Running" },
    {
      of: { kind: "pod.phase", pod: "default/web", phase: "Failed", reason: "Evicted" },
      subject: "web",
      text: "phase Failed (Evicted)",
    },
    { of: { kind: "pod.removed", pod: "default/web" }, subject: "web", text: "gone" },
    { of: { ...exit, kind: "container.started" }, subject: "web", text: "main started" },
    { of: { ...exit, kind: "container.restarted", attempt: 2 }, subject: "web", text: "main restarted, attempt 2" },
    { of: { ...exit, kind: "container.exited" }, subject: "web", text: "main exited with 137 (OOMKilled)" },
    { of: { ...exit, kind: "container.killed" }, subject: "web", text: "main killed with 137 (OOMKilled)" },
    {
      of: { kind: "probe.result", pod: "default/web", container: "main", type: "liveness", result: "Success" },
      subject: "web",
      text: "main liveness probe: Success",
    },
    {
      of: {
        kind: "probe.result",
        pod: "default/web",
        container: "main",
        type: "startup",
        result: "Failure",
        output: "refused",
      },
      subject: "web",
      text: "main startup probe: Failure: refused",
    },
    {
      of: {
        kind: "device.allocated",
        pod: "default/web",
        container: "main",
        resource: "v.example/gpu",
        ids: ["a", "b", "c"],
        numa: [1, null, 1],
      },
      subject: "web",
      text: "main gets v.example/gpu: a, b, c (NUMA 1, unknown)",
    },
    {
      of: { kind: "image.pulled", image: "web:1", id: "sha256:a", size: 2048 },
      subject: "-",
      text: "image web:1 pulled (2Ki)",
    },
    {
      of: { kind: "image.removed", names: ["web:1", "web:2"], id: "sha256:a", size: 2048 },
      subject: "-",
      text: "image web:1, web:2 removed (2Ki)",
    },
    {
      of: { kind: "image.removed", names: [], id: "sha256:a", size: 1 },
      subject: "-",
      text: "image sha256:a removed (1)",
    },
    { of: { kind: "cgroup.written", path: "/a/cpu.max", value: "max 1\n" }, subject: "-", text: "/a/cpu.max = max 1" },
    {
      of: { kind: "event", type: "Warning", reason: "BackOff", message: "m", object: "pod/default/web", count: 1 },
      subject: "web",
      text: "Warning BackOff: m",
    },
    {
      of: { kind: "event", type: "Normal", reason: "Ready", message: "m", object: "node/n", count: 3 },
      subject: "n",
      text: "Normal Ready: m (x3)",
    },
    {
      of: {
        kind: "decision",
        plugin: "core",
        strategy: "podAdmit",
        subject: "container/default/web/main",
        considered: [],
        outcome: "admitted",
      },
      subject: "web/main",
      text: "decision of core (podAdmit): admitted",
    },
    { of: { kind: "object.applied", object: "secret/default/key" }, subject: "secret/key", text: "applied" },
    { of: { kind: "object.removed", object: "configmap/other/map" }, subject: "configmap/other/map", text: "gone" },
    { of: { kind: "machine.shutdown", state: "begun" }, subject: "-", text: "the machine is to go down" },
    {
      of: { kind: "machine.shutdown", state: "cancelled" },
      subject: "-",
      text: "the machine is not to go down after all",
    },
    { of: { kind: "machine.shutdown", state: "off" }, subject: "-", text: "the machine goes down" },
    { of: { kind: "agent.restarted" }, subject: "-", text: "agent restarted" },
  ];

  test.each(lines)("$of.kind of $subject: $text", ({ of, subject, text }) => {
    expect([subjectOf(at(0, of)), textOf(at(0, of))]).toEqual([subject, text]);
  });

  test("a name keeps a namespace that only begins like the default one", () => {
    expect([shortName("default/a"), shortName("defaults/a"), shortName("x/default/a")]).toEqual([
      "a",
      "defaults/a",
      "x/default/a",
    ]);
  });

  test("of outcomes alone: what became of pods, and not what led there", () => {
    const lines = new Lines("outcomes");
    const shown = (record: object): boolean =>
      lines.line(at(1, { pod: "default/web", ...record } as never)) !== undefined;
    expect(shown({ kind: "pod.evicted", qos: "Burstable", priority: 0, message: "m" })).toBe(true);
    expect(shown({ kind: "container.exited", container: "main", code: 1, reason: "Error" })).toBe(true);
    expect(shown({ kind: "container.exited", container: "main", code: 0, reason: "Completed" })).toBe(false);
    expect(shown({ kind: "pod.phase", phase: "Failed", reason: "Evicted" })).toBe(false);
    expect(shown({ kind: "pod.applied" })).toBe(false);
  });

  test("begins with its time, then the subject, in columns, and stays one line", () => {
    const message = "two\nlines  of text";
    expect(new Lines().line(at(90, { kind: "pod.rejected", pod: "default/web", reason: "R", message }))).toBe(
      `1m30s       ${"web".padEnd(20)} rejected: R: two lines of text`,
    );
  });

  test("what is written into cgroups is not shown, and a probe's result only when it is another one", () => {
    const lines = new Lines();
    const probe = (
      result: string,
      type: "liveness" | "readiness" = "liveness",
      container = "main",
      pod = "default/a",
    ) => lines.line(at(0, { kind: "probe.result", pod, container, type, result })) !== undefined;
    expect(lines.line(at(0, { kind: "cgroup.written", path: "/a", value: "1" }))).toBeUndefined();
    expect([
      probe("Success"),
      probe("Success"),
      probe("Failure"),
      probe("Success"),
      probe("Success", "readiness"),
      probe("Success", "liveness", "side"),
      probe("Success", "liveness", "main", "default/b"),
      probe("Success"),
    ]).toEqual([true, false, true, true, true, true, true, false]);
  });
});

describe("the end of a run", () => {
  const failure = (parts: Partial<Failure> = {}): Failure => ({
    path: "expect[1]",
    t: 45,
    what: "pod web",
    difference: "expected phase Running, found Pending",
    ...parts,
  });
  const outcome = (
    failures: readonly (Failure | undefined)[],
    failedSteps: readonly Failure[] = [],
    faults: readonly Failure[] = [],
  ): Outcome =>
    ({
      until: 60,
      failedSteps,
      faults,
      expectations: failures.map((one, index) => ({
        expectation: { index, expectation: { pod: "web", phase: "Running" } },
        failure: one,
      })),
    }) as unknown as Outcome;

  test.each([
    ["ready default/web", undefined, "-"],
    ["evicted", undefined, "0"],
    ["ready default/web", 90, "1m30s"],
    ["bytes pulled", 2048, "2Ki"],
    ["evicted", 3, "3"],
  ])("the figure %s of %p is %s", (name, value, text) => {
    expect(figureText(name, value)).toBe(text);
  });

  test("figures that say nothing are left out, the others stand in columns", () => {
    expect(figureLines({ evicted: 2, preempted: 0, "ready default/web": undefined, "bytes pulled": 1024 })).toEqual([
      "evicted       2",
      "bytes pulled  1Ki",
    ]);
    expect(figureLines({})).toEqual([]);
  });

  test("a failure shows its place in the file, and its time", () => {
    expect(failureText("a.yaml", failure({ line: 7 }))).toBe(
      "a.yaml:7 expect[1] at 45s: pod web: expected phase Running, found Pending",
    );
    expect(failureText("a.yaml", failure())).toMatch(/^a\.yaml expect\[1\] at/);
  });

  test.each([
    { name: "nothing expected", of: () => outcome([]), text: "nothing was expected" },
    { name: "all hold", of: () => outcome([undefined, undefined]), text: "2 of 2 expectations hold" },
    { name: "some hold", of: () => outcome([undefined, failure()]), text: "1 of 2 expectations hold" },
    {
      name: "a step could not be done",
      of: () => outcome([undefined], [failure({ path: "timeline[0]" })]),
      text: "1 of 1 expectations hold, 1 step of the timeline could not be done",
    },
    {
      name: "steps could not be done",
      of: () => outcome([], [failure(), failure()]),
      text: "nothing was expected, 2 steps of the timeline could not be done",
    },
    {
      name: "a strategy threw",
      of: () => outcome([undefined], [], [failure({ path: "strategy ./rank.js" })]),
      text: "1 of 1 expectations hold, 1 error of plugins and strategies",
    },
  ])("the verdict: $name", ({ of, text }) => {
    expect(verdictText(of())).toBe(text);
  });

  test("JUnit has a case that fails for what a plugin or a strategy threw", () => {
    const fault = failure({ path: "plugin boom", what: "the agent logged an error" });
    const text = junitText("a.yaml", outcome([undefined], [], [fault]));
    expect(text).toContain('tests="2" failures="1"');
    expect(text).toContain(
      'name="plugin boom"><failure message="a.yaml plugin boom at 45s: the agent logged an error: ',
    );
  });

  test("JUnit has a case for each expectation and each step that failed, its texts escaped", () => {
    const what = 'a <b> & "c"\n\u0000';
    const text = junitText('x"y.yaml', outcome([undefined, failure({ what })], [failure({ path: "timeline[0]" })]));
    const [head, suites, suite, step, held, failed, ...end] = text.split("\n");
    expect([head, suites, ...end]).toEqual([
      '<?xml version="1.0" encoding="UTF-8"?>',
      "<testsuites>",
      "  </testsuite>",
      "</testsuites>",
    ]);
    expect(suite).toBe('  <testsuite name="x&quot;y.yaml" tests="3" failures="2" time="60">');
    expect(step).toMatch(
      /^ {4}<testcase classname="x&quot;y\.yaml" name="timeline\[0\]"><failure message=".*"\/><\/testcase>$/,
    );
    expect(held).toMatch(/^ {4}<testcase classname="x&quot;y\.yaml" name="expect\[0\] [^"]+"\/>$/);
    expect(failed).toContain("a &lt;b&gt; &amp; &quot;c&quot;&#10;\uFFFD: expected phase");
  });
});
