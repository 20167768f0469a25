import type { Pod } from "@hooklet/manifest";
import { type NodeAgentError, sleep } from "@hooklet/utils";
import { describe, expect, test } from "@jest/globals";
import { VirtualClock } from "../../../../sim/src/clock/virtual-clock.js";
import { createGuardedHooks } from "../../../src/hooks/guard.js";
import {
  type ContainerStartEvent,
  type PodAdmitEvent,
  type PodTerminateEvent,
  Stage,
  type TickEvent,
} from "../../../src/hooks/hooks.js";
import type { TapCall } from "../../../src/hooks/tap-record.js";
import { AdmissionVerdict } from "../../../src/hooks/verdict.js";
import { ContainerPlanBuilder } from "../../../src/plan/builder.js";
import type { ContainerPlan } from "../../../src/plan/contract.js";

const pod: Pod = { metadata: { name: "web", namespace: "default", uid: "u1" }, spec: { containers: [] } };
const signal = new AbortController().signal;
const admitEvent: PodAdmitEvent = Object.freeze({ pod, otherPods: [], running: [], isTakenOver: false, signal });
const startEvent: ContainerStartEvent = Object.freeze({
  pod,
  container: { name: "main", image: "host" },
  kind: "main",
  restartCount: 0,
  signal,
});
const terminateEvent: PodTerminateEvent = { pod, cause: { kind: "deleted" }, gracePeriodSeconds: 1, afterStop() {} };
const tickEvent: TickEvent = Object.freeze({ now: 0, signal });

function setUp() {
  const clock = new VirtualClock();
  const errors: NodeAgentError[] = [];
  const calls: TapCall[] = [];
  const guard = createGuardedHooks({ clock, onError: (e) => errors.push(e), onCall: (c) => calls.push(c) });
  const codes = () => errors.map(({ code }) => code);
  return { clock, errors, calls, codes, guard, hooks: guard.hooks };
}

const never = () => new Promise<never>(() => {});
const rejection = (reason: string) => ({ reason, message: `${reason} happened` });

describe("podAdmit fails closed", () => {
  test("a tap that throws becomes a rejection naming the plugin, and later taps still run", async () => {
    const { guard, hooks, errors } = setUp();
    const seen: string[] = [];
    guard.forPlugin("bad").podAdmit.tap(() => {
      throw new Error("boom");
    });
    guard.forPlugin("good").podAdmit.tap((verdict) => {
      seen.push("good");
      return verdict.reject(rejection("OutOfcpu"));
    });
    const verdict = await hooks.podAdmit.promise(AdmissionVerdict.admitted(), admitEvent);
    expect(seen).toEqual(["good"]);
    expect(verdict.rejections).toEqual([
      { reason: "UnexpectedAdmissionError", message: 'Plugin "bad" in hook podAdmit failed: boom', plugin: "bad" },
      { reason: "OutOfcpu", message: "OutOfcpu happened", plugin: "good" },
    ]);
    expect(errors).toMatchObject([{ code: "TAP_FAILED", plugin: "bad", hook: "podAdmit", cause: new Error("boom") }]);
  });

  test("a tap that hangs becomes a rejection at its deadline, and its signal is aborted", async () => {
    const { clock, guard, hooks, codes } = setUp();
    let own: AbortSignal | undefined;
    guard.forPlugin("slow").podAdmit.tap({ deadlineSeconds: 3 }, (_verdict, event) => {
      own = event.signal;
      return never();
    });
    const done = hooks.podAdmit.promise(AdmissionVerdict.admitted(), admitEvent);
    await clock.advance(2_999);
    expect(own?.aborted).toBe(false);
    await clock.advance(1);
    const verdict = await done;
    expect(verdict.rejections[0]).toMatchObject({ reason: "UnexpectedAdmissionError", plugin: "slow" });
    expect(verdict.rejections[0]?.message).toContain("within 3 s");
    expect(own?.aborted).toBe(true);
    expect(codes()).toEqual(["TAP_TIMEOUT"]);
    expect(clock.pending).toBe(0);
  });

  test("what a tap takes after its deadline is handed to the core to be undone", async () => {
    const { clock, guard, hooks } = setUp();
    const undone: string[] = [];
    guard.forPlugin("slow").podAdmit.tap({ deadlineSeconds: 1 }, async (verdict) => {
      verdict.undo(() => void undone.push("early"));
      await sleep(clock, 5_000);
      verdict.undo(() => void undone.push("late"));
    });
    const done = hooks.podAdmit.promise(AdmissionVerdict.admitted(), admitEvent);
    await clock.advance(1_000);
    for (const undo of (await done).undos((late) => void late())) await undo();
    expect(undone).toEqual(["early"]);
    await clock.advance(5_000);
    expect(undone).toEqual(["early", "late"]);
  });

  test.each([
    { name: "null", output: null, found: "null" },
    { name: "a plain object", output: { rejections: [] }, found: '{"rejections":[]}' },
    { name: "a verdict of another admission", output: AdmissionVerdict.admitted(), found: "another admission" },
  ])("a tap that returns $name is TAP_OUTPUT and a rejection", async ({ output, found }) => {
    const { guard, hooks, errors } = setUp();
    guard.forPlugin("odd").podAdmit.tap(() => output as unknown as undefined);
    const verdict = await hooks.podAdmit.promise(AdmissionVerdict.admitted(), admitEvent);
    expect(verdict.rejections).toMatchObject([{ plugin: "odd", reason: "UnexpectedAdmissionError" }]);
    expect(errors[0]?.code).toBe("TAP_OUTPUT");
    expect(errors[0]?.message).toContain(found);
  });

  test.each([
    { name: "a reason of two words", wrong: { reason: "Out of cpu", message: "m" } },
    { name: "no reason", wrong: { message: "m" } as never },
    { name: "a reason that begins with a digit", wrong: { reason: "4Cpus", message: "m" } },
    { name: "a reason that ends in a dot", wrong: { reason: "OutOfcpu.", message: "m" } },
    { name: "a reason with two dots in a row", wrong: { reason: "Out..cpu", message: "m" } },
    { name: "an empty reason", wrong: { reason: "", message: "m" } },
    { name: "no message", wrong: { reason: "OutOfcpu" } as never },
    { name: "an empty message", wrong: { reason: "OutOfcpu", message: "" } },
  ])("a rejection with $name is TAP_OUTPUT", async ({ wrong }) => {
    const { guard, hooks, codes } = setUp();
    guard.forPlugin("odd").podAdmit.tap((verdict) => verdict.reject(wrong));
    await hooks.podAdmit.promise(AdmissionVerdict.admitted(), admitEvent);
    expect(codes()).toEqual(["TAP_OUTPUT"]);
  });

  test.each(["OutOfcpu", "A", "OutOfvendor.example/gpu", "Out_of-cpu.v1/x2"])(
    "a rejection may have the reason %s, and carries its plugin",
    async (reason) => {
      const { guard, hooks, codes } = setUp();
      guard.forPlugin("own").podAdmit.tap((verdict) => verdict.reject({ reason, message: "m" }));
      const { rejections } = await hooks.podAdmit.promise(AdmissionVerdict.admitted(), admitEvent);
      expect(codes()).toEqual([]);
      expect(rejections).toEqual([{ reason, message: "m", plugin: "own" }]);
    },
  );

  test("a rejection that the tap does not return is TAP_OUTPUT: the rule does not admit everything", async () => {
    const { guard, hooks, errors } = setUp();
    guard.forPlugin("odd").podAdmit.tap((verdict) => {
      verdict.reject(rejection("TeamQuota"));
    });
    const verdict = await hooks.podAdmit.promise(AdmissionVerdict.admitted(), admitEvent);
    expect(verdict.rejections).toMatchObject([{ plugin: "odd", reason: "UnexpectedAdmissionError" }]);
    expect(errors[0]?.message).toContain("found a call of reject() without return");
  });

  test("only stage repair may clear what earlier taps rejected", async () => {
    const { guard, hooks, codes } = setUp();
    guard.forPlugin("a").podAdmit.tap((verdict) => verdict.reject(rejection("OutOfcpu")));
    guard.forPlugin("b").podAdmit.tap({ stage: "validate" }, (verdict) => verdict.withRejections([]));
    const refused = await hooks.podAdmit.promise(AdmissionVerdict.admitted(), admitEvent);
    expect(codes()).toEqual(["TAP_OUTPUT"]);
    expect(refused.rejections.map(({ plugin }) => plugin)).toEqual(["a", "b"]);

    const other = setUp();
    other.guard.forPlugin("a").podAdmit.tap((verdict) => verdict.reject(rejection("OutOfcpu")));
    other.guard.forPlugin("b").podAdmit.tap({ stage: "repair" }, (verdict) => verdict.withRejections([]));
    const repaired = await other.hooks.podAdmit.promise(AdmissionVerdict.admitted(), admitEvent);
    expect(repaired.admitted).toBe(true);
  });

  test("stages run in order whatever the order of tapping, core's predicates between check and repair", async () => {
    const { guard, hooks } = setUp();
    const order: string[] = [];
    const note = (name: string) => () => void order.push(name);
    const plugin = guard.forPlugin("p");
    plugin.podAdmit.tap({ stage: "validate" }, note("validate"));
    plugin.podAdmit.tap({ stage: "repair" }, note("repair"));
    hooks.podAdmit.tapPromise({ name: "core", stage: Stage.predicates }, async (verdict) => {
      order.push("predicates");
      return verdict;
    });
    plugin.podAdmit.tap(note("check"));
    await hooks.podAdmit.promise(AdmissionVerdict.admitted(), admitEvent);
    expect(order).toEqual(["check", "predicates", "repair", "validate"]);
  });
});

describe("containerStart fails closed", () => {
  test("a failing tap rejects the start, naming plugin and hook, and keeps the cause", async () => {
    const { guard, hooks } = setUp();
    const cause = new Error("no device left");
    guard.forPlugin("dev").containerStart.tap(() => Promise.reject(cause));
    await expect(hooks.containerStart.promise(new ContainerPlanBuilder(), startEvent)).rejects.toMatchObject({
      code: "TAP_FAILED",
      plugin: "dev",
      hook: "containerStart",
      cause,
    });
  });

  test("a tap that returns another plan is refused", async () => {
    const { guard, hooks } = setUp();
    guard.forPlugin("odd").containerStart.tap(() => ({ env: {} }) as unknown as undefined);
    await expect(hooks.containerStart.promise(new ContainerPlanBuilder(), startEvent)).rejects.toMatchObject({
      code: "TAP_OUTPUT",
      plugin: "odd",
    });
  });

  test("two plugins that set one env name get one error naming both", async () => {
    const { guard, hooks } = setUp();
    guard.forPlugin("first").containerStart.tap((plan) => plan.setEnv("TEAM", "red"));
    guard.forPlugin("second").containerStart.tap((plan) => plan.setEnv("TEAM", "blue"));
    await expect(hooks.containerStart.promise(new ContainerPlanBuilder(), startEvent)).rejects.toMatchObject({
      plugin: "second",
      cause: { name: "NodeAgentError", code: "CLAIM_CONFLICT", field: "env TEAM", first: "first", second: "second" },
    });
  });

  test.each([
    { name: "its tap settled", deadlineSeconds: 30, wait: 0 },
    { name: "its deadline passed", deadlineSeconds: 1, wait: 1_000 },
  ])("a plan cannot be changed once $name", async ({ deadlineSeconds, wait }) => {
    const { clock, guard, hooks } = setUp();
    let leaked: ContainerPlan | undefined;
    guard.forPlugin("late").containerStart.tap({ deadlineSeconds }, (plan) => {
      leaked = plan;
      return wait === 0 ? undefined : never();
    });
    const builder = new ContainerPlanBuilder();
    const done = hooks.containerStart.promise(builder, startEvent).catch(() => {});
    await clock.advance(wait);
    await done;
    expect(() => leaked?.setEnv("A", "b")).toThrow(/a call after that/);
    expect(builder.result().envs).toEqual([]);
  });
});

describe("what a tap leaves to be called later", () => {
  const laters = [
    {
      what: "podTerminate (afterStop)",
      leave: async ({ guard, hooks }: ReturnType<typeof setUp>, run: () => Promise<void>) => {
        const left: (() => void | Promise<void>)[] = [];
        guard.forPlugin("gc").podTerminate.tap((event) => event.afterStop(run));
        await hooks.podTerminate.promise({ ...terminateEvent, afterStop: (later) => void left.push(later) });
        return left;
      },
    },
    {
      what: "podAdmit (undo)",
      leave: async ({ guard, hooks }: ReturnType<typeof setUp>, run: () => Promise<void>) => {
        guard.forPlugin("gc").podAdmit.tap((verdict) => {
          verdict.undo(run);
          return verdict.reject({ reason: "No", message: "no" });
        });
        return (await hooks.podAdmit.promise(AdmissionVerdict.admitted(), admitEvent)).undos();
      },
    },
  ];

  test.each(laters)("$what: its error names plugin and hook", async ({ what, leave }) => {
    const [run] = await leave(setUp(), () => Promise.reject(new Error("busy")));
    await expect(run?.()).rejects.toMatchObject({
      code: "TAP_FAILED",
      message: `Plugin "gc" in hook ${what} failed: busy`,
    });
  });

  test.each(laters)("$what: one that never settles is given up after 30 s", async ({ leave }) => {
    const set = setUp();
    const [run] = await leave(set, never);
    const given = Promise.resolve(run?.()).catch((error: unknown) => error);
    await set.clock.advance(30_000);
    expect(await given).toMatchObject({ code: "TAP_TIMEOUT", plugin: "gc" });
  });
});

describe("podTerminate and tick fail open", () => {
  test("every podTerminate tap runs and every error is reported", async () => {
    const { clock, guard, hooks, errors } = setUp();
    const ran: string[] = [];
    guard.forPlugin("throws").podTerminate.tap(() => {
      throw new Error("one");
    });
    guard.forPlugin("hangs").podTerminate.tap(() => never());
    guard.forPlugin("fine").podTerminate.tap(() => void ran.push("fine"));
    const done = hooks.podTerminate.promise(terminateEvent);
    await clock.advance(5_000);
    await done;
    expect(ran).toEqual(["fine"]);
    expect(errors.map(({ code, plugin }) => [code, plugin])).toEqual([
      ["TAP_FAILED", "throws"],
      ["TAP_TIMEOUT", "hangs"],
    ]);
  });

  test.each([
    { name: "an object without a prototype", thrown: Object.create(null) },
    {
      name: "an error whose text throws",
      thrown: Object.defineProperty(new Error(), "message", {
        get() {
          throw new Error("again");
        },
      }),
    },
    { name: "a symbol", thrown: Symbol("odd") },
    { name: "nothing", thrown: undefined },
  ])("a tap that throws $name is a failure like any other", async ({ thrown }) => {
    const { guard, hooks, errors } = setUp();
    const ran: string[] = [];
    guard.forPlugin("odd").podTerminate.tap(() => {
      throw thrown;
    });
    guard.forPlugin("fine").podTerminate.tap(() => void ran.push("fine"));
    await hooks.podTerminate.promise(terminateEvent);
    expect(ran).toEqual(["fine"]);
    expect(errors.map(({ code, plugin }) => [code, plugin])).toEqual([["TAP_FAILED", "odd"]]);
  });

  test("a tick tap that throws does not keep the others of its period from running", async () => {
    const { guard, hooks, errors } = setUp();
    const ran: string[] = [];
    guard
      .forPlugin("throws")
      .tick(60)
      .tap(() => Promise.reject(new Error("one")));
    guard
      .forPlugin("fine")
      .tick(60)
      .tap(() => void ran.push("fine"));
    await hooks.tick.for(60).promise(tickEvent);
    expect(ran).toEqual(["fine"]);
    expect(errors).toMatchObject([{ code: "TAP_FAILED", plugin: "throws", hook: "tick 60s" }]);
  });

  test("the periods that are due are the tapped ones, each once", () => {
    const { guard, hooks } = setUp();
    guard.forPlugin("one").tick(60).tap(never);
    guard.forPlugin("two").tick(60).tap(never);
    guard.forPlugin("two").tick(0.5).tap(never);
    expect([...hooks.tick.periods]).toEqual([60, 0.5]);
  });

  test("a tick tap never overlaps itself: skips are counted until the earlier call settles, even past its deadline", async () => {
    const { clock, guard, hooks, calls } = setUp();
    guard
      .forPlugin("slow")
      .tick(10)
      .tap({ deadlineSeconds: 15 }, () => sleep(clock, 25_000));
    guard.seal("slow");
    for (let second = 0; second < 40; second += 10) {
      void hooks.tick.for(10).promise(tickEvent);
      await clock.advance(10_000);
    }
    expect(calls.map(({ outcome }) => outcome)).toEqual(["skipped", "timeout", "skipped"]);
    expect(guard.reports("slow")).toMatchObject([{ hook: "tick 10s", calls: 1, timeouts: 1, skipped: 2 }]);
    await clock.advance(5_000);
    expect(guard.reports("slow")).toMatchObject([{ calls: 2, timeouts: 2, skipped: 2 }]);
  });

  test("a tap that never settles is left out forever, and the tick continues", async () => {
    const { clock, guard, hooks } = setUp();
    let others = 0;
    guard.forPlugin("dead").tick(1).tap({ deadlineSeconds: 1 }, never);
    guard
      .forPlugin("alive")
      .tick(1)
      .tap(() => void others++);
    for (let second = 0; second < 100; second++) {
      void hooks.tick.for(1).promise(tickEvent);
      await clock.advance(1_000);
    }
    expect(others).toBe(100);
    expect(guard.reports("dead")).toMatchObject([{ calls: 1, timeouts: 1, skipped: 99 }]);
    expect(clock.pending).toBe(0);
  });

  test("a call that fails after its deadline is reported a second time, not lost", async () => {
    const { clock, guard, hooks, codes } = setUp();
    guard
      .forPlugin("late")
      .tick(5)
      .tap({ deadlineSeconds: 1 }, async () => {
        await sleep(clock, 2_000);
        throw new Error("late");
      });
    const done = hooks.tick.for(5).promise(tickEvent);
    await clock.advance(3_000);
    await done;
    expect(codes()).toEqual(["TAP_TIMEOUT", "TAP_FAILED"]);
  });
});

describe("figures and the switch", () => {
  test("calls, errors and time of each tap are counted", async () => {
    const { clock, guard, hooks, calls } = setUp();
    let turn = 0;
    guard
      .forPlugin("p")
      .tick(1)
      .tap({ name: "sweep" }, async () => {
        await sleep(clock, 100);
        if (++turn === 2) throw new Error("second");
      });
    for (let second = 0; second < 2; second++) {
      void hooks.tick.for(1).promise(tickEvent);
      await clock.advance(1_000);
    }
    expect(guard.reports("p")).toEqual([
      {
        hook: "tick 1s",
        name: "sweep",
        active: true,
        calls: 2,
        errors: 1,
        timeouts: 0,
        skipped: 0,
        totalMilliseconds: 200,
      },
    ]);
    expect(calls.map(({ outcome, milliseconds }) => [outcome, milliseconds])).toEqual([
      ["ok", 100],
      ["error", 100],
    ]);
  });

  test("a plugin that is switched off is passed over until it is switched on, on hooks of every kind", async () => {
    const { guard, hooks } = setUp();
    const plugin = guard.forPlugin("p");
    let ticks = 0;
    plugin.podAdmit.tap((verdict) => verdict.reject(rejection("No")));
    plugin.tick(1).tap(() => void ticks++);
    const admit = () => hooks.podAdmit.promise(AdmissionVerdict.admitted(), admitEvent);

    expect(guard.switchPlugin("p", false)).toBe(true);
    await hooks.tick.for(1).promise(tickEvent);
    expect((await admit()).admitted).toBe(true);
    expect(ticks).toBe(0);
    guard.switchPlugin("p", true);
    await hooks.tick.for(1).promise(tickEvent);
    expect((await admit()).admitted).toBe(false);
    expect(ticks).toBe(1);
    expect(guard.switchPlugin("unknown", false)).toBe(false);
  });

  test("the agent's own signal reaches the tap", async () => {
    const { clock, guard, hooks } = setUp();
    const agent = new AbortController();
    let aborted: unknown;
    guard
      .forPlugin("p")
      .tick(1)
      .tap((event) =>
        sleep(clock, 9_000, event.signal).catch((reason) => {
          aborted = reason;
        }),
      );
    const done = hooks.tick.for(1).promise({ now: 0, signal: agent.signal });
    await clock.settle();
    agent.abort("stopping");
    await done;
    expect(aborted).toBe("stopping");
  });
});

describe("tapping", () => {
  test.each<[string, unknown, string]>([
    [
      "before, which tapable misreads when misspelt",
      { before: "x" },
      'options of the tap of podAdmit: expected name, deadlineSeconds, stage, found "before".',
    ],
    [
      "an unknown stage",
      { stage: "early" },
      'stage of the tap of podAdmit: expected check, repair, validate, found "early".',
    ],
    ["a stage of any object", { stage: "toString" }, "stage of the tap of podAdmit: expected check, repair, validate"],
    [
      "a deadline over the hook's maximum",
      { deadlineSeconds: 86_401 },
      "deadlineSeconds of the tap of podAdmit: expected above 0, at most 86400, found 86401.",
    ],
    ["a deadline of 0", { deadlineSeconds: 0 }, "expected above 0, at most 86400, found 0."],
    ["a deadline that is no number", { deadlineSeconds: "5" }, 'expected above 0, at most 86400, found "5".'],
    ["a name with spaces", { name: "a b" }, 'name of the tap of podAdmit: expected a short word, found "a b".'],
    ["an empty name", { name: "" }, 'name of the tap of podAdmit: expected a short word, found "".'],
    ["a name of 101 letters", { name: "a".repeat(101) }, "name of the tap of podAdmit: expected a short word"],
    ["a name that is no text", { name: 5 }, "name of the tap of podAdmit: expected a short word, found 5."],
    ["no options", null, "options of the tap of podAdmit: expected an object, found null."],
    ["a number for options", 5, "options of the tap of podAdmit: expected an object, found 5."],
    ["a text for options", "gc", 'options of the tap of podAdmit: expected an object, found "gc".'],
  ])("%s is refused", (_, options, message) => {
    const { guard, hooks } = setUp();
    const plugin = guard.forPlugin("p");
    expect(() => plugin.podAdmit.tap(options as object, () => undefined)).toThrow(
      expect.objectContaining({ code: "INVALID", message: expect.stringContaining(message) }),
    );
    expect(hooks.podAdmit.taps).toEqual([]);
  });

  test("what is no function is refused", () => {
    const { guard } = setUp();
    const tap = () => guard.forPlugin("p").podAdmit.tap({}, "run" as never);
    expect(tap).toThrow('tap of podAdmit: expected a function, found "run".');
  });

  test("a hook that there is not is named, with those that there are", () => {
    const { guard } = setUp();
    const hooks = guard.forPlugin("p") as unknown as Record<string, { tap(): void }>;
    expect(() => hooks.podStart).toThrow(
      'hook of ctx.hooks: expected podAdmit, containerStart, podTerminate or tick(SECONDS), found "podStart".',
    );
    expect(() => hooks.tick?.tap()).toThrow('hook of ctx.hooks: expected tick(SECONDS).tap(…), found "tick.tap".');
    // What printers and await ask of any object.
    expect([hooks.then, hooks.toJSON, Reflect.get(hooks, Symbol.iterator)]).toEqual([undefined, undefined, undefined]);
  });

  test.each([
    { name: "a".repeat(100) },
    { name: "@shop/a.b:c-d_1" },
    { deadlineSeconds: 86_400 },
    { deadlineSeconds: 0.001 },
  ])("%j is taken", (options) => {
    const { guard, hooks } = setUp();
    guard.forPlugin("p").podAdmit.tap(options, () => undefined);
    expect(hooks.podAdmit.taps).toMatchObject([{ name: "p", plugin: "p", stage: 0, ...options }]);
  });

  test.each([
    ["check", 0],
    ["repair", 100],
    ["validate", 200],
  ] as const)("of stage %s is tapable's stage %d", (stage, number) => {
    const { guard, hooks } = setUp();
    guard.forPlugin("p").podAdmit.tap({ stage }, () => undefined);
    expect(hooks.podAdmit.taps).toMatchObject([{ stage: number }]);
  });

  test.each([0, -1, 0.05, Number.NaN, 86_401, "1" as never])("a tick period of %p seconds is refused", (period) => {
    const { guard } = setUp();
    expect(() => guard.forPlugin("p").tick(period)).toThrow(/period of tick: expected 0.1 to 86400 seconds/);
  });

  test.each([0.1, 86_400])("a tick period of %p seconds is taken", (period) => {
    const { guard, hooks } = setUp();
    guard
      .forPlugin("p")
      .tick(period)
      .tap({ deadlineSeconds: 3_600 }, () => {});
    expect([...hooks.tick.periods]).toEqual([period]);
  });

  test("a stage on a hook without stages is refused", () => {
    const { guard } = setUp();
    const options = { stage: "repair" } as object;
    expect(() => guard.forPlugin("p").podTerminate.tap(options, () => {})).toThrow(
      'stage of the tap of podTerminate: expected none (only podAdmit has stages), found "repair".',
    );
  });

  test("after the start of its plugin a tap is an error", () => {
    const { guard } = setUp();
    const plugin = guard.forPlugin("p");
    const period = plugin.tick(1);
    guard.seal("p");
    for (const tap of [() => plugin.podAdmit.tap(() => {}), () => period.tap(() => {})]) {
      expect(tap).toThrow(expect.objectContaining({ code: "PLUGIN_START", plugin: "p" }));
    }
  });

  test("a second tap of one hook gets a separate name", () => {
    const { guard } = setUp();
    const plugin = guard.forPlugin("p");
    plugin.podAdmit.tap(() => {});
    plugin.podAdmit.tap(() => {});
    plugin.podAdmit.tap({ name: "other" }, () => {});
    expect(guard.reports("p").map(({ name }) => name)).toEqual(["p", "p#2", "other"]);
  });

  test("a plugin cannot fire a hook", () => {
    const plugin = setUp().guard.forPlugin("p");
    expect(Object.keys(plugin.podAdmit)).toEqual(["tap"]);
    // @ts-expect-error firing is the core's
    expect(plugin.podAdmit.promise).toBeUndefined();
  });
});
