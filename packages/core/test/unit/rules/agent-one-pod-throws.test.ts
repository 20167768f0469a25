/** What one pod throws is its own: every loop over pods goes on with the others. */

import { Annotations } from "@hooklet/cri-api";
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { PodWorker } from "../../../src/pod/life/worker.js";
import { TestNode } from "../../agent/node.js";

const names = ["a", "b", "c"] as const;
const manifest = (name: string, more = ""): string => `apiVersion: v1
kind: Pod
metadata: { name: ${name}, uid: ${name} }
spec:
  ${more}
  containers: [{ name: main, image: "app:1", command: [until-term] }]
`;

let node: TestNode;

beforeEach(async () => {
  node = await new TestNode().start();
});

afterEach(() => void jest.restoreAllMocks());

const startAll = async (more = ""): Promise<void> => {
  for (const name of names) await node.manifest(name, manifest(name, more));
  await node.clock.advance(5_000);
};

/** Uids of pods with a container that runs. */
const running = async (): Promise<readonly string[]> =>
  (await node.runtime.listContainers())
    .filter(({ state }) => state === "CONTAINER_RUNNING")
    .map(({ labels }) => labels["io.kubernetes.pod.uid"] ?? "")
    .sort();

/** Throws the first time that the method is called for the pod, where `when` holds. */
function throwsOnce(
  uid: string,
  method: "dispatch" | "start" | "refresh" | "checkSandbox",
  when: (argument: unknown) => boolean = () => true,
): () => number {
  let thrown = 0;
  const real = PodWorker.prototype[method] as (this: PodWorker, argument: unknown) => unknown;
  jest.spyOn(PodWorker.prototype, method as "dispatch").mockImplementation(function (this: PodWorker, argument) {
    if (this.pod.metadata.uid === uid && thrown === 0 && when(argument)) {
      thrown += 1;
      throw new Error(`pod ${uid} throws`);
    }
    return real.call(this, argument) as undefined;
  });
  return () => thrown;
}

const isTerminate = (event: unknown): boolean => (event as { type: string }).type === "terminate";

test.each(names)("a start of pod %s that throws: the others run", async (uid) => {
  const thrown = throwsOnce(uid, "start");
  await startAll();
  expect(thrown()).toBe(1);
  expect(await running()).toEqual(names.filter((name) => name !== uid));
});

test.each(names)("pod %s that throws when all are no longer wanted: the others end", async (uid) => {
  await startAll();
  const thrown = throwsOnce(uid, "dispatch", isTerminate);
  await node.withoutManifests();
  await node.clock.advance(60_000);
  expect(thrown()).toBe(1);
  expect(await running()).toEqual([uid]);
});

test.each(names)("pod %s that throws when orphans are stopped: the others end", async (uid) => {
  await startAll();
  await node.stop();
  const thrown = throwsOnce(uid, "dispatch", isTerminate);
  await node.withoutManifests();
  await node.start();
  await node.clock.advance(60_000);
  expect(thrown()).toBe(1);
  expect(await running()).toEqual([uid]);
});

test.each(names)("pod %s that throws when the agent shuts down: the others end", async (uid) => {
  await startAll();
  const thrown = throwsOnce(uid, "dispatch", isTerminate);
  node.agent.shutdown(1).catch(() => undefined);
  await node.clock.advance(60_000);
  expect(thrown()).toBe(1);
  expect(await running()).toEqual([uid]);
});

test.each(names)("pod %s that throws when everything is relisted: the others are observed", async (uid) => {
  await startAll();
  // Ended behind the agent's back: a relist alone finds them.
  node.runtime.dropEvents(100);
  for (const name of names) node.runtime.exit(`${name}-node1`, "main", 1);
  await node.clock.settle();
  node.runtime.dropEvents(0);
  const thrown = throwsOnce(uid, "refresh");
  await node.clock.advance(310_000);
  expect(thrown()).toBe(1);
  const restarted = names.filter((name) => node.status(`${name}-node1`).containerStatuses?.[0]?.restartCount === 1);
  expect(restarted).toEqual(names);
});

test.each(names)(
  "a container of pod %s of which the runtime does not tell at the start: the agent starts",
  async (uid) => {
    await startAll();
    const [mine] = (await node.runtime.listContainers()).filter(
      ({ labels }) => labels["io.kubernetes.pod.uid"] === uid,
    );
    await node.stop();
    const real = node.runtime.containerStatus.bind(node.runtime);
    let thrown = 0;
    jest.spyOn(node.runtime, "containerStatus").mockImplementation(async (id) => {
      if (id === mine?.id && thrown++ === 0) throw new Error("larger than max");
      return real(id);
    });
    await node.start();
    await node.clock.advance(10_000);
    expect(thrown).toBeGreaterThan(0);
    expect(names.map((name) => node.status(`${name}-node1`).phase)).toEqual(names.map(() => "Running"));
    expect(names.map((name) => node.status(`${name}-node1`).containerStatuses?.[0]?.restartCount)).toEqual([0, 0, 0]);
  },
);

test("a grace period of a whole int64 ends with the container, over a restart of the agent too", async () => {
  await startAll("terminationGracePeriodSeconds: 9000000000000000");
  await node.manifest("a", undefined);
  await node.clock.advance(60_000);
  expect(await running()).toEqual(["b", "c"]);
  await node.stop();
  await node.withoutManifests();
  await node.start();
  await node.clock.advance(60_000);
  expect(await running()).toEqual([]);
});

test("a grace period that another program wrote into the runtime, however great, ends no start", async () => {
  await startAll();
  await node.stop();
  const real = node.runtime.listContainers.bind(node.runtime);
  jest.spyOn(node.runtime, "listContainers").mockImplementation(async (filter) =>
    (await real(filter)).map((container) => ({
      ...container,
      annotations: { ...container.annotations, [Annotations.podTerminationGracePeriod]: "1e308" },
    })),
  );
  await node.withoutManifests();
  await node.start();
  await node.clock.advance(60_000);
  expect(await running()).toEqual([]);
});
