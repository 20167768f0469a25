import { sleep } from "@hooklet/utils";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import type { NodeContext } from "../../../src/plugin/contract.js";
import { type NodeParts, TestNode } from "../../agent/node.js";

const PODS = 10;
/** So many that a line of them, four at a time, takes longer than an eviction waits. */
const LINE = 44;

/** Pods of which every container has ended by itself in the same moment, on a runtime that takes so long for a sandbox. */
async function crowd(milliseconds: number, { pods = PODS, parts = {} as NodeParts } = {}): Promise<TestNode> {
  const made = new TestNode(parts);
  made.runtime.addImage({ id: "sha256:app", names: ["app:1"], size: 1 });
  made.runtime.delay("stopSandbox", milliseconds);
  const here = await made.start();
  here.runtime.script({ container: "main" }, (process) => process.after(10_000, () => process.exit(3)));
  for (let i = 0; i < pods; i++) {
    await here.manifest(
      `web-${i}.yaml`,
      `
apiVersion: v1
kind: Pod
metadata: { name: web-${i} }
spec:
  restartPolicy: Never
  containers: [{ name: main, image: 'app:1' }]
`,
    );
  }
  await here.clock.advance(9_000);
  expect(here.runtime.calls.stopSandbox).toBe(0);
  await here.clock.advance(1_050);
  return here;
}

test("of many pods that end at once four sandboxes are stopped at a time; all ends are reported meanwhile", async () => {
  const here = await crowd(500);
  expect(here.runtime.calls.stopSandbox).toBe(4);
  for (let i = 0; i < PODS; i++) expect(here.status(`web-${i}`).phase).toBe("Failed");
  await here.clock.advance(500);
  expect(here.runtime.calls.stopSandbox).toBe(8);
  await here.clock.advance(500);
  expect(here.runtime.calls.stopSandbox).toBe(PODS);
  await here.clock.advance(500);
});

/** A source without pods, that takes so long for each status. */
function reader(milliseconds: number): NodeParts {
  return {
    sources: (clock) => [
      {
        name: "reader",
        start: async (sink) => sink.desired([]),
        status: () => sleep(clock, milliseconds),
        stop: async () => undefined,
      },
    ],
  };
}

test("while statuses are under way no sandbox is stopped: the ends of all pods are reported first", async () => {
  const here = await crowd(500, { parts: reader(300) });
  expect(here.runtime.calls.stopSandbox).toBe(0);
  await here.clock.advance(300);
  expect(here.runtime.calls.stopSandbox).toBe(4);
  await here.clock.advance(5_000);
  expect(here.runtime.calls.stopSandbox).toBe(PODS);
});

test("one that takes no status keeps no sandbox for more than a second", async () => {
  const here = await crowd(500, { parts: reader(60_000) });
  expect(here.runtime.calls.stopSandbox).toBe(0);
  await here.clock.advance(1_000);
  expect(here.runtime.calls.stopSandbox).toBe(4);
  await here.clock.advance(5_000);
  expect(here.runtime.calls.stopSandbox).toBe(PODS);
});

test("a sandbox that is slow to stop keeps no other waiting for more than a second", async () => {
  const here = await crowd(20_000);
  expect(here.runtime.calls.stopSandbox).toBe(4);
  await here.clock.advance(1_000);
  expect(here.runtime.calls.stopSandbox).toBe(8);
  await here.clock.advance(1_000);
  expect(here.runtime.calls.stopSandbox).toBe(PODS);
  await here.clock.advance(20_000);
});

test("behind a crowd an eviction ends before its limit", async () => {
  let context: NodeContext | undefined;
  const plugin = {
    meta: { name: "disk", api: 1 as const },
    options: z.strictObject({}),
    start: (ctx: NodeContext) => {
      context = ctx;
    },
  };
  const parts: NodeParts = {
    plugins: [{ plugin, options: {}, specifier: "disk", origin: "test", file: "disk" }],
  };
  const here = await crowd(1_500, { pods: LINE, parts });
  await here.agent.api.apply(
    JSON.stringify({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "victim" },
      spec: { containers: [{ name: "app", image: "app:1" }] },
    }),
    "-f",
  );
  await here.clock.advance(100);
  const { uid } = here.pod("victim").metadata;
  let ended = false;
  const eviction = context?.pods
    .evict(uid, { reason: "Evicted", message: "the disk is full", gracePeriodSeconds: 0 })
    .then(() => {
      ended = true;
    });
  await here.clock.advance(5_000);
  expect(ended).toBe(true);
  await eviction;
  expect(here.events().filter((event) => event.startsWith("ExceededGracePeriod"))).toEqual([]);
  expect(here.runtime.calls.stopSandbox).toBe(LINE + 1);
});

test("those that waited too long do not all begin at once, but eight at most within 50 ms", async () => {
  const here = await crowd(1_500, { pods: LINE });
  let most = 0;
  while (here.runtime.calls.stopSandbox < LINE) {
    const before = here.runtime.calls.stopSandbox;
    await here.clock.advance(50);
    most = Math.max(most, here.runtime.calls.stopSandbox - before);
  }
  await here.clock.advance(2_000);
  expect(most).toBeLessThanOrEqual(8);
});

test("an agent that stops does not wait for the whole line", async () => {
  const here = await crowd(1_500, { pods: LINE });
  const stopping = here.agent.stop();
  // The whole line would take eleven seconds, and the stop would never end in a time that stands still.
  await here.clock.advance(6_000);
  await stopping;
  expect(here.runtime.calls.stopSandbox).toBe(LINE);
});
