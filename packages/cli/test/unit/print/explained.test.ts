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
