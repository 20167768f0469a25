import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { FakeAgent } from "../../../server/test/fake-agent.js";
import { anEvent, aPod, NOW } from "../../../server/test/samples.js";
import { startFake, temporaryFolder } from "../../../server/test/start.js";
import { troubles } from "../../src/trouble.js";
import { fakeIo, hooklet, type Result } from "../cli.js";

const crashed = {
  exitCode: 1,
  reason: "Error",
  startedAt: "2026-11-21T09:59:00Z",
  finishedAt: "2026-11-21T09:59:50Z",
};
const status = (state: object, more: object = {}): object => ({
  containerStatuses: [{ name: "main", ready: false, restartCount: 2, image: "host", imageID: "", state, ...more }],
});
const BACK_OFF = { waiting: { reason: "CrashLoopBackOff", message: "back-off 20s restarting failed container" } };

async function node(): Promise<{ api: FakeAgent; run(words: string): Promise<Result> }> {
  const api = new FakeAgent();
  const { socket } = await startFake(api);
  const path = join(await temporaryFolder(), "log");
  await writeFile(path, "starting\nno such table: users\n");
  api.logFile = { path, format: "raw", ended: () => true };
  api.setPods([
    aPod("web"),
    aPod("crash", { status: { ...status(BACK_OFF, { lastState: { terminated: crashed } }), conditions: [] } }),
  ]);
  return { api, run: (words) => hooklet(words, fakeIo({ HOOKLET_SOCKET: socket })) };
}

const standing = { at: NOW, plugin: "core", strategy: "now", considered: [] };

describe("explain", () => {
  test("a pod that is well is reported as that, with where it stands", async () => {
    const { api, run } = await node();
    api.said = [{ ...standing, subject: "container/default/web/main", outcome: "runs since 1m0s" }];
    const { code, out } = await run("explain pod web");
    expect(code).toBe(0);
    expect(out).toBe(
      "pod default/web: Running, 1 of 1 ready, 0 restarts\n  main: runs since 1m0s\n\nDecisions: none. No plugin chose anything for the pod, or set env, mounts or devices in it.\n",
    );
  });

  test("of one that crashes cause and next step come first, then where it stands, its log and further warnings", async () => {
    const { api, run } = await node();
    api.said = [
      { ...standing, subject: "container/default/crash/main", outcome: "ended 10s ago; started again in 10s" },
    ];
    api.emit(anEvent("crash", "BackOff", { type: "Warning", message: "Back-off restarting" }));
    api.emit(anEvent("crash", "Odd", { type: "Warning", message: "odd things" }));
    const { out } = await run("explain pod/crash");
    expect(out.split("\n").slice(0, 3)).toEqual([
      "Container main ends with exit code 1: no such table: users.",
      "Next: Fix that (the whole log: hooklet logs crash).",
      "",
    ]);
    expect(out).toContain("main: ended 10s ago; started again in 10s");
    expect(out).toContain("Odd: odd things");
    // It says what stands above already.
    expect(out).not.toContain("BackOff: Back-off restarting");
    expect(out).toContain("container main: exit code 1 (Error), then CrashLoopBackOff: back-off 20s restarting");
    expect(out).toContain("    | starting\n    | no such table: users\n");
  });

  test("values that are as computed, or not enforced here, take --all", async () => {
    const { api, run } = await node();
    const values = { ...standing, plugin: "cgroups", strategy: "linear", subject: "pod/default/web" };
    api.decisions = [
      "/a: computed now; not enforced, there are no cgroups for it here",
      "/b: computed now; cpu.shares: wanted 2, is 7",
    ].map((outcome) => ({ ...values, outcome }));
    const { out } = await run("explain pod web");
    expect(out).toContain("wanted 2, is 7");
    expect(out).not.toContain("not enforced");
    expect(out).toContain("Not shown: what plugin cgroups computed for the pod and its containers; --all shows it.");
    expect((await run("explain pod web --all")).out).toContain("not enforced");
  });

  test("a field, as kubectl's explain takes it, is refused with a pointer to kubectl", async () => {
    const { run } = await node();
    const { code, err } = await run("explain pod.spec.restartPolicy");
    expect(code).toBe(1);
    expect(err).toContain('No pod "pod.spec.restartPolicy"');
    expect(err).toContain("Fields are explained by kubectl explain.");
  });

  test("nothing known and no such pod are two answers", async () => {
    const { api, run } = await node();
    expect(await run("explain pod crsh")).toMatchObject({
      code: 1,
      err: expect.stringContaining('Did you mean "crash"?'),
    });
    expect(await run("explain pod web -n other")).toMatchObject({ code: 1 });
    expect(await run("explain image web:1")).toMatchObject({
      code: 0,
      err: expect.stringContaining("Nothing is on record"),
    });
    api.decisions = [{ ...standing, plugin: "preemption", subject: "pod/default/gone", outcome: "evicted" }];
    expect((await run("explain pod gone")).out).toMatch(/There is no pod default\/gone any more.*evicted/s);
  });

  test("a name alone is a pod's", async () => {
    const { run } = await node();
    expect((await run("explain web")).out).toContain("pod default/web: Running");
  });
});

describe("trouble", () => {
  test.each([
    ["a pod that is well", {}, []],
    ["one that is created", status({ waiting: { reason: "ContainerCreating" } }), []],
    ["one that is done", status({ terminated: { ...crashed, exitCode: 0 } }), []],
    [
      "a container that failed",
      status({ terminated: crashed }),
      [{ container: "main", why: "exit code 1 (Error)", log: "current" }],
    ],
    [
      "a container in back-off",
      status(BACK_OFF, { lastState: { terminated: crashed } }),
      [
        {
          container: "main",
          why: "exit code 1 (Error), then CrashLoopBackOff: back-off 20s restarting failed container",
          log: "current",
        },
      ],
    ],
    [
      "a container that was started again and is not ready",
      status({ running: {} }, { lastState: { terminated: { ...crashed, message: "bad\n" } } }),
      [{ container: "main", why: "exit code 1 (Error): bad before it was started again", log: "previous" }],
    ],
    [
      "a container without its image",
      status({ waiting: { reason: "ErrImageNeverPull", message: "not here" } }),
      [{ container: "main", why: "ErrImageNeverPull: not here" }],
    ],
    [
      "a pod that was refused",
      { phase: "Failed", reason: "OutOfcpu", message: "too much", containerStatuses: [] },
      [{ why: "OutOfcpu: too much" }],
    ],
  ])("of %s", (_, change, expected) => expect(troubles(aPod("web", { status: change }))).toEqual(expected));
});
