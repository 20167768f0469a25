/** What is recorded of a change, and of its client. */
import type { Socket } from "node:net";
import { expect, test } from "@jest/globals";
import { VirtualClock } from "../../../sim/src/clock/virtual-clock.js";
import { Audit, peerText } from "../../src/audit.js";
import type { ServerContext } from "../../src/server-context.js";
import { FakeAgent } from "../fake-agent.js";

test.each([
  [{ uid: 0, gid: 0, pid: 7 }, "uid 0, pid 7"],
  [{ uid: 0, gid: 0, pid: 7, program: "hooklet" }, "uid 0, pid 7 (hooklet)"],
  [{ uid: 0, gid: 0, pid: 7, loginUid: 1000, program: "hooklet" }, "uid 0 (logged in as 1000), pid 7 (hooklet)"],
  [{ uid: 1000, gid: 0, pid: 7, loginUid: 1000 }, "uid 1000, pid 7"],
])("the client %j is %s", (facts, text) => expect(peerText(facts)).toBe(text));

const gone = new Error("no space left");

test.each<[what: string, isSession: boolean, work: () => Promise<unknown>, outcome: string, ok: boolean]>([
  ["a change", false, async () => undefined, "done", true],
  [
    "an apply",
    false,
    async () => [
      { subject: "pod/a", action: "created" },
      { subject: "pod/b", action: "unchanged" },
    ],
    "pod/a created, pod/b unchanged",
    true,
  ],
  ["a session", true, async () => ["x"], "started", true],
  ["a change that fails", false, () => Promise.reject(gone), "refused: no space left", false],
  ["a session that fails", true, () => Promise.reject(gone), "failed: no space left", false],
])(
  "%s is recorded with what became of it, and its caller gets the same",
  async (what, isSession, work, outcome, ok) => {
    const api = new FakeAgent();
    const audit = new Audit({ api, clock: new VirtualClock() } as unknown as ServerContext);
    const settled = (one: Promise<unknown>) =>
      one.then(
        (value) => ({ value }),
        (reason: unknown) => ({ reason }),
      );
    const result = audit.of({ socket: {} as Socket }, { what, isSession }, work);
    expect(await settled(result)).toEqual(await settled(work()));
    while (api.audited.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const by = "a client that this platform does not identify";
    expect(api.audited).toEqual([{ what, isSession, outcome, ok, by }]);
  },
);
