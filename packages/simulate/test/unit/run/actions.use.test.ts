import { VirtualClock } from "@hooklet/sim";
import { expect, test } from "@jest/globals";
import { use } from "../../../src/run/actions.js";
import type { ScenarioNode } from "../../../src/run/scenario-node.js";

/** A node whose pod `web` has the one container that runs, or has ended. */
function world(given: { readonly used?: object } = {}) {
  const clock = new VirtualClock();
  const state = { runs: true };
  const set: unknown[] = [];
  const node = {
    clock,
    source: { uidOf: () => "u", spec: () => ({ spec: { containers: [{ name: "main" }] } }) },
    runtime: { idOf: () => "id" },
    running: () => (state.runs ? {} : undefined),
    consumption: {
      used: () => ({ memory: 0, disk: 0, pids: 1, ...given.used }),
      set: (_id: string, amounts: object) => set.push(amounts),
      check: () => set.push("check"),
    },
    data: { used: () => ({}), set: (_spec: unknown, _running: unknown, amounts: object) => set.push(amounts) },
    machine: { usage: { system: { memory: 100, pids: 1 }, setSystem: (amounts: object) => set.push(amounts) } },
    disks: { system: 0, setSystem: (bytes: number) => set.push({ disk: bytes }) },
  } as unknown as ScenarioNode;
  return { clock, node, set, state };
}

test("what is used at once is set at once", async () => {
  const { node, set, clock } = world();
  use(node, { pod: "web", memory: "1Ki", logs: "5" } as never);
  await clock.advance(10_000);
  expect(set).toEqual([{ logs: 5 }, { memory: 1024 }]);
});

test("what grows comes in steps of a second, from the current usage up to the new one", async () => {
  const { node, set, clock } = world({ used: { memory: 100 } });
  use(node, { pod: "web", memory: "350", over: "2500ms" } as never);
  expect(set).toEqual([]);
  await clock.advance(10_000);
  expect(set).toEqual([{}, { memory: 200 }, {}, { memory: 300 }, {}, { memory: 350 }]);
});

test("a container that has ended grows no more", async () => {
  const { node, set, clock, state } = world();
  use(node, { pod: "web", memory: "4", over: "4s" } as never);
  await clock.advance(1_000);
  state.runs = false;
  await clock.advance(10_000);
  expect(set).toEqual([{}, { memory: 1 }]);
});

test("a container that does not run uses nothing", () => {
  const { node, state } = world();
  state.runs = false;
  expect(() => use(node, { pod: "web", memory: "4" } as never)).toThrow("container main does not run");
});

test("without a pod it is the machine that uses it, and containers may be killed for it", () => {
  const { node, set } = world();
  use(node, { memory: "5" } as never);
  use(node, { disk: "7" } as never);
  expect(set).toEqual([{ memory: 5 }, "check", {}, { disk: 7 }, "check"]);
});
