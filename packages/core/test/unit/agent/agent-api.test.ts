import { expect, test } from "@jest/globals";
import { AUDIT_REASON } from "../../../src/agent/agent-api.js";
import type { Change } from "../../../src/agent/api.js";
import { TestNode } from "../../agent/node.js";

test("a change of the node is an event; sessions in a pod are one that counts up; a refusal that its client hears is no warning", async () => {
  const here = await new TestNode().start();
  const change = { outcome: "done", ok: true, by: "uid 0", isSession: false };
  const reported: readonly Change[] = [
    { ...change, what: "delete pod default/web" },
    { ...change, what: "exec in pod default/web: tar", isSession: true, by: "uid 0, pid 7 (hooklet)" },
    { ...change, what: "exec in pod default/web: tar", isSession: true, by: "uid 0, pid 8 (hooklet)" },
    {
      ...change,
      what: "exec in pod default/web: no",
      isSession: true,
      ok: false,
      outcome: "failed: no program",
      by: "uid 0, pid 9",
    },
    {
      ...change,
      what: "apply",
      ok: false,
      outcome: "refused: Pod web is invalid:\n  no image.",
      by: "uid 0, pid 10 (hooklet)",
    },
    { what: "reload", ok: false, isSession: false, outcome: "the agent did not start." },
  ];
  for (const one of reported) here.agent.api.audit(one);
  const events = here.agent.api.events().filter(({ reason }) => reason === AUDIT_REASON);
  expect(events.map(({ type, message, count }) => `${type} ${message} x${count}`)).toEqual([
    "Normal delete pod default/web: done; by uid 0 x1",
    "Normal exec in pod default/web: tar: done; by uid 0 x2",
    "Normal exec in pod default/web: no: failed: no program; by uid 0 x1",
    "Normal apply: refused: Pod web is invalid: no image; by uid 0, pid 10 (hooklet) x1",
    "Warning reload: the agent did not start. x1",
  ]);
});
