/** A virtual hour of the whole agent with 110 idle pods and a tick every second, against the same ticks on a bare clock. */
import { definePlugin } from "@hooklet/core";
import { aPod, loadForTest, TestAgent, VirtualClock } from "@hooklet/testkit";

export const title = "virtual hour: 3 600 idle ticks with 110 pods";

const HOUR = 3_600_000;

/** Reads all pods once a second, as a plugin that has nothing to do. */
const idle = definePlugin({
  meta: { name: "idle", api: 1 },
  options: (z) => z.object({}),
  start(context) {
    context.hooks.tick(1).tap(() => {
      for (const pod of context.pods.active()) if (pod.metadata.uid === "") context.log.error("impossible");
    });
  },
});

export async function run(): Promise<void> {
  const rows = [{ what: "bare clock, one timer a second", "real ms": (await bareClock()).toFixed(0) }];
  for (const pods of [0, 110]) {
    rows.push({ what: `agent with ${pods} pods`, "real ms": (await agent(pods)).toFixed(0) });
  }
  console.table(rows);
}

async function bareClock(): Promise<number> {
  const clock = new VirtualClock();
  const tick = (): void => void clock.schedule(1000, tick);
  tick();
  return timed(() => clock.advance(HOUR));
}

async function agent(pods: number): Promise<number> {
  const node = await TestAgent.make({ plugins: [await loadForTest(idle, {})] });
  for (let i = 0; i < pods; i++) await node.apply(aPod({ name: `pod-${i}` }));
  await node.start();
  try {
    await node.waitFor(() => node.api.pods().filter(({ status }) => status?.phase === "Running").length === pods);
    return await timed(() => node.advance(HOUR));
  } finally {
    await node.stop();
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
