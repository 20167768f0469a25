/** kill -9 of the agent between the decision and the end of its victim: the same shortage costs no second pod. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, test } from "@jest/globals";
import { until } from "../../support/agent.js";
import { cannotPress, PressedNode } from "../../support/pressed-node.js";
import { type RealRuntime, runtimes } from "../../support/runtimes.js";

const LIMIT = 200_000;

/** Takes so many mebibytes and holds them; ignores TERM, so that its end takes the whole second that it has. */
const hog = (mebibytes: number) => ({
  script: `trap "" TERM; awk 'BEGIN{s="x"; for(j=0;j<20;j++) s=s s; for(i=0;i<${mebibytes};i++) a[i]=s i; while(1) system("sleep 1")}'`,
});
const idle = { script: 'trap "exit 0" TERM; while :; do sleep 0.2; done' };
const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

(cannotPress === undefined ? describe : describe.skip)("an agent that is killed", () => {
  let runtime: RealRuntime | undefined;
  let node: PressedNode | undefined;

  afterEach(async () => {
    await node?.remove();
    node = undefined;
    await runtime?.stop();
  }, LIMIT);

  test.each([
    { name: "as soon as the decision is on disk", after: 0 },
    { name: "while the kill runs", after: 400 },
    { name: "when the victim is just gone", after: 1_300 },
  ])(
    "$name evicts no second pod for the same shortage when it is back",
    async ({ after }) => {
      runtime = await runtimes[0]?.start("evkill");
      if (runtime === undefined) throw new Error("no runtime");
      node = await PressedNode.create(runtime, {
        podsMebibytes: 400,
        evictionHard: { "memory.available": "200Mi" },
        options: { watch: "100ms" },
      });
      const here = node;
      // Both are over their request, so that either might go.
      await here.apply({ idle, second: hog(60) });
      await here.reach("Running", 60, "idle", "second");
      await wait(3_000);
      const pending = path.join(here.place.rootDir, "state/plugins/_hooklet_plugin-eviction/pending.json");
      await here.apply({ first: { ...hog(170), resources: { requests: { memory: "1Mi" } } } });
      await decided(pending);
      await wait(after);
      await here.place.kill();
      await here.start();
      await here.reach("Failed", 60, "first");
      // Three more rounds.
      await wait(32_000);
      expect((await here.get("first")).status.reason).toBe("Evicted");
      expect(await here.phases("idle", "second")).toBe("Running Running");
      await until("nobody is waited for any more", async () => !names(pending), 20);
    },
    LIMIT,
  );
});

/** A pod's uid stands in the checkpoint of pending evictions. */
function names(file: string): boolean {
  return existsSync(file) && /"pods":\s*\[\s*"/.test(readFileSync(file, "utf8"));
}

async function decided(file: string): Promise<void> {
  const end = performance.now() + 90_000;
  while (!names(file)) {
    if (performance.now() > end) throw new Error("nobody was chosen within 90 s");
    await wait(2);
  }
}
