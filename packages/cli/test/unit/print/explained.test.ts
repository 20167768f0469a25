/** What `hooklet explain pod` prints below the cause. */
import type { Decision } from "@hooklet/core";
import { expect, test } from "@jest/globals";
import { anEvent, aPod, NOW } from "../../../../server/test/samples.js";
import { type Explained, explainedPod } from "../../../src/print/explained.js";

const decision = (outcome: string, more: Partial<Decision> = {}): Decision => ({
  at: NOW,
  plugin: "core",
  strategy: "podAdmit",
  subject: "pod/default/web",
  considered: [],
  outcome,
  ...more,
});

const computed = (plugin: string, what: string): Decision => decision(`/a: computed now; ${what}`, { plugin });

function text(pod: Parameters<typeof aPod>[1], more: Partial<Explained> = {}): string {
  return explainedPod({
    pod: aPod("web", pod),
    decisions: [],
    events: [],
    pods: [],
    logs: new Map(),
    all: false,
    now: NOW,
    ...more,
  });
}

const main = (state: object, more: object = {}): Parameters<typeof aPod>[1] => ({
  status: {
    phase: "Running",
    conditions: [],
    containerStatuses: [{ name: "main", ready: false, restartCount: 1, image: "host", imageID: "", state, ...more }],
  },
});

test("one restart is one restart", () => {
  expect(text(main({ running: {} }))).toContain("0 of 1 ready, 1 restart\n");
});

test("a refusal that comes again in the same words stands once, with how often", () => {
  const decisions = [decision("rejected: OutOfcpu", { at: NOW - 60_000 }), decision("rejected: OutOfcpu")];
  expect(text({}, { decisions })).toContain(
    "Decisions:\n  2026-11-21T10:00:00Z  pod/default/web  by core (podAdmit), 2 times\n    rejected: OutOfcpu",
  );
});

test("what a plugin set is shown; what it computed for every pod takes --all", () => {
  const set = { strategy: "containerStart", subject: "container/default/web/main" };
  const decisions = [decision("set env TEAM", { ...set, plugin: "team" }), computed("limits", "ok")];
  const shown = text({}, { decisions });
  expect(shown).toContain("set env TEAM");
  expect(shown).toContain("Not shown: what plugin limits computed for the pod and its containers; --all shows it.");
  expect(text({}, { decisions, all: true })).toContain("computed now; ok");
});

test("a pod shows that its memory limit is not enforced here, also one that is well", () => {
  const spec = { containers: [{ name: "main", image: "host", resources: { limits: { memory: "64Mi" } } }] };
  const decisions = [computed("limits", "not enforced, there are no cgroups for it here")];
  const line = "  memory limits are not enforced on this node (main: 64Mi); hooklet describe node says why";
  expect(text({ ...main({ running: {} }), spec }, { decisions })).toContain(line);
  expect(text({ spec }, { decisions })).toContain(line);
  expect(text({ ...main({ running: {} }), spec }, { decisions: [computed("limits", "ok")] })).not.toContain(
    "not enforced",
  );
});

test("a long message of a failed set-up stands once, beside its first line", () => {
  const message = "failed to set up the container: mount: /r/1/proc: denied\nmount: /r/1/dev: denied";
  const terminated = { exitCode: 128, reason: "StartError", message };
  const whole = message.replace("\n", "\\n");
  const shown = text(
    main({ waiting: { reason: "CrashLoopBackOff", message: "back-off 10s" } }, { lastState: { terminated } }),
    {
      decisions: [
        decision(`ended 5s ago with exit code 128 (StartError): ${message}; started again in 5s`, {
          strategy: "now",
          subject: "container/default/web/main",
        }),
      ],
      events: [1, 2].map((id) =>
        anEvent("web", "Failed", { type: "Warning", message: `Error: ${message.replaceAll("/r/1", `/r/${id}`)}` }),
      ),
    },
  );
  expect(shown.split(whole)).toHaveLength(2);
  expect(shown).toContain("  main: ended 5s ago with exit code 128 (StartError); started again in 5s");
  expect(shown).not.toContain("BackOff: Error");
  expect(shown.match(/ Failed: /g) ?? []).toHaveLength(1);
});

test("the whole of a pod that crashes: where it stands, its trouble with the last lines, the warning, and the decisions", () => {
  const shown = text(
    main({ terminated: { exitCode: 3, reason: "Error", finishedAt: "2026-11-21T09:59:50Z" } }, { lastState: {} }),
    {
      logs: new Map([["main", ["no such table", "bye"]]]),
      decisions: [
        decision("ended 10s ago", { strategy: "now", subject: "container/default/web/main" }),
        decision("waits for main", { strategy: "now", subject: "pod/default/web" }),
      ],
      events: [
        anEvent("web", "BackOff", { type: "Warning" }),
        anEvent("web", "Unhealthy", { type: "Warning", message: "probe failed" }),
        anEvent("web", "Pulled"),
      ],
    },
  );
  expect(shown.slice(shown.indexOf("pod default/web:"))).toBe(
    [
      "pod default/web: Error, 0 of 1 ready, 1 restart",
      "  main: ended 10s ago",
      "  waits for main",
      "",
      "Trouble:",
      "  container main: exit code 3 (Error)",
      "    | no such table",
      "    | bye",
      "",
      "Warnings:",
      "  30s  Unhealthy: probe failed",
      "",
      "Decisions: none. No plugin chose anything for the pod, or set env, mounts or devices in it.",
    ].join("\n"),
  );
});

test("a container of which nothing is known, and one without limits, are no obstacle", () => {
  const bare = { name: "main", ready: false, restartCount: 0, image: "host", imageID: "" };
  const spec = {
    containers: [
      { name: "main", image: "host", resources: {} },
      { name: "side", image: "host" },
    ],
  };
  const decisions = [computed("limits", "not enforced, there are no cgroups for it here")];
  const shown = text({ spec, status: { phase: "Pending", conditions: [], containerStatuses: [bare] } }, { decisions });
  expect(shown).toContain("pod default/web: Pending, 0 of 2 ready, 0 restarts\n");
  expect(shown).not.toContain("memory limits are not enforced");
});

test("of warnings the newest of its kind is shown, and at most five", () => {
  const warning = (reason: string, message: string) => anEvent("web", reason, { type: "Warning", message });
  const events = [
    warning("FailedMount", 'MountVolume.SetUp failed for volume "a" : id 1'),
    warning("FailedMount", 'MountVolume.SetUp failed for volume "a" : id 2'),
    warning("FailedMount", 'MountVolume.SetUp failed for volume "b" : id 3'),
    ...["A", "B", "C", "D"].map((reason) => warning(reason, `${reason} is it`)),
    warning("E", ""),
  ];
  const lines = text({}, { events }).split("\n");
  expect(lines.filter((line) => /^ {2}30s {2}/.test(line))).toEqual([
    ...["A", "B", "C", "D"].map((reason) => `  30s  ${reason}: ${reason} is it`),
    "  30s  E: ",
  ]);
  const first = text({}, { events: events.slice(0, 3) }).split("\n");
  expect(first.filter((line) => /^ {2}30s {2}/.test(line)).map((line) => line.slice(-4))).toEqual(["id 2", "id 3"]);
});

test("what several plugins computed is named with all of them", () => {
  const decisions = [computed("a", "ok"), computed("b", "ok"), computed("a", "ok")];
  expect(text({}, { decisions })).toContain(
    "Not shown: what plugins a, b computed for the pod and its containers; --all shows it.",
  );
});
