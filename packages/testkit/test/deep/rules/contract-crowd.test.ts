/** Many pods at once: what each of them costs before its sandbox must not delay the first containers. */
import { definePlugin, type Pod } from "@hooklet/core";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { aPod, SimulatedRuntime, startTestAgent, type TestAgent, VirtualClock } from "../../../src/index.js";

const COUNT = 40;
const SANDBOX_MILLISECONDS = 100;

let here: TestAgent;
let clock: VirtualClock;
/** In the order of happening: `prepare NAME`, `sandbox NAME`, `start`. */
let reported: string[];

beforeEach(() => {
  reported = [];
  clock = new VirtualClock();
});

/** Sandboxes take their time; before each of them the plugin asks `before` to be awaited. */
async function crowd(before: (name: string) => Promise<void>, pods: readonly Pod[]): Promise<void> {
  const prepares = definePlugin({
    meta: { name: "prepares", api: 1 },
    start: ({ hooks }) =>
      hooks.podAdmit.tap((verdict, { pod }) =>
        verdict.beforeSandbox(() => {
          reported.push(`prepare ${pod.metadata.name}`);
          return before(pod.metadata.name);
        }),
      ),
  });
  const runtime = new SimulatedRuntime({ clock, writeLogs: true });
  const runSandbox = runtime.runSandbox.bind(runtime);
  runtime.runSandbox = async (config, ...rest) => {
    await new Promise<void>((resolve) => clock.schedule(SANDBOX_MILLISECONDS, resolve));
    reported.push(`sandbox ${config.metadata.name}`);
    return runSandbox(config, ...rest);
  };
  const startContainer = runtime.startContainer.bind(runtime);
  runtime.startContainer = (id) => {
    reported.push("start");
    return startContainer(id);
  };
  here = await startTestAgent({ plugins: [prepares], clock, runtime, pods });
}

const names = Array.from({ length: COUNT }, (_, i) => `p${i}`);
const running = (): number => here.api.pods().filter(({ status }) => status?.phase === "Running").length;

describe("a crowd of pods", () => {
  test("each is prepared in its turn: the first container starts before more than a handful are", async () => {
    await crowd(
      async () => {},
      names.map((name) => aPod({ name })),
    );
    await here.advance(10_000);
    expect(running()).toBe(COUNT);
    const preparedBefore = (what: string): number =>
      reported.slice(0, reported.indexOf(what)).filter((line) => line.startsWith("prepare ")).length;
    expect(preparedBefore("start")).toBeLessThanOrEqual(3);
    // At any time no more are prepared and without a sandbox than sandboxes are made at once.
    let ahead = 0;
    for (const line of reported) {
      if (line.startsWith("prepare ")) ahead++;
      if (line.startsWith("sandbox ")) ahead--;
      expect(ahead).toBeLessThanOrEqual(4);
    }
  });

  test("one whose preparation takes long leaves its turn to the others, and gets its sandbox once it is prepared", async () => {
    const slow = new Set(names.slice(0, 8));
    const before = (name: string): Promise<void> =>
      new Promise((resolve) => (slow.has(name) ? clock.schedule(20_000, resolve) : resolve()));
    await crowd(
      before,
      names.map((name) => aPod({ name })),
    );
    await here.advance(10_000);
    expect(running()).toBe(COUNT - slow.size);
    await here.advance(15_000);
    expect(running()).toBe(COUNT);
  });

  test("critical pods go first, then those of higher priority, however late they stand in the set", async () => {
    await crowd(async () => {}, [
      ...names.map((name) => aPod({ name })),
      aPod({ name: "urgent", spec: { priority: 1000 } }),
      aPod({ name: "critical", spec: { priority: 2_000_001_000 } }),
    ]);
    await here.advance(10_000);
    const sandboxes = reported.filter((line) => line.startsWith("sandbox "));
    const at = (name: string): number => sandboxes.findIndex((line) => line.startsWith(`sandbox ${name}`));
    expect(at("critical")).toBeLessThanOrEqual(1);
    expect(at("urgent")).toBeLessThanOrEqual(2);
  });
});
