/** Pods that have failed, and what becomes of them. */
import type { Pod } from "@hooklet/core";
import type { SourceSink } from "@hooklet/core/host";
import { aPod } from "@hooklet/testkit";
import { beforeEach, expect, test } from "@jest/globals";
import { SimulatedSource } from "../../../src/node/simulated-source.js";

let source: SimulatedSource;
/** Names of pods that are gone. */
let removed: string[];
/** What the current agent was given to run. */
let reported: Pod[];

const job = (image: string, labels = {}): Pod => aPod({ name: "job", labels, containers: [{ image }] });
const uid = (): string => source.uidOf("job");
const fail = async (): Promise<void> => {
  const pod = { ...(source.spec(uid()) as Pod), status: { phase: "Failed" } };
  await source.status?.({ pod, final: true });
};
/** Another agent takes the place of the one there is. */
async function restart(): Promise<void> {
  await source.stop();
  reported = [];
  const tell = (pods: readonly Pod[]): unknown => reported.push(...pods);
  await source.start({ desired: tell, changed: ({ set = [] }: { set?: readonly Pod[] }) => tell(set) } as SourceSink);
}

beforeEach(async () => {
  removed = [];
  source = new SimulatedSource({
    name: "test",
    uidOf: (_, generation) => `uid-${generation}`,
    watchers: { status: () => {}, event: () => {}, removed: ({ metadata }) => removed.push(metadata.uid) },
  });
  await restart();
  source.apply(job("job:1"));
  await fail();
});

test("a pod that has failed stays so when the agent is restarted", async () => {
  await restart();
  expect([reported, source.failed().map(({ status }) => status?.phase)]).toEqual([[], ["Failed"]]);
});

test("a failed pod that another one replaces is gone once the agent reports it", () => {
  const before = uid();
  source.apply(job("job:2"));
  expect([source.failed(), removed]).toEqual([[], []]);
  source.removed?.(before);
  expect([removed, uid() === before]).toEqual([[before], false]);
});

test("a failed pod that another one replaces is gone at once where the agent never got it", async () => {
  await restart();
  const before = uid();
  source.apply(job("job:2"));
  expect([source.failed(), removed]).toEqual([[], [before]]);
  expect(reported.map(({ metadata }) => metadata.uid)).toEqual([uid()]);
});

test("a failed pod that gets other labels runs no second time, with any agent", async () => {
  await restart();
  source.apply(job("job:1", { tier: "batch" }));
  expect(reported).toEqual([]);
  expect(source.failed()).toMatchObject([{ metadata: { labels: { tier: "batch" } }, status: { phase: "Failed" } }]);
  await restart();
  expect(reported).toEqual([]);
  const before = uid();
  source.delete("job");
  expect([source.failed(), removed]).toEqual([[], [before]]);
});

test("an agent that knows the failed pod gets its other labels", () => {
  reported = [];
  source.apply(job("job:1", { tier: "batch" }));
  expect(reported).toMatchObject([{ metadata: { labels: { tier: "batch" }, uid: uid() } }]);
});
