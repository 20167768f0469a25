/** A pod keeps the source that it has, now and over a restart of the agent. */
import type { Pod } from "@hooklet/manifest";
import { expect, jest, test } from "@jest/globals";
import type { PodSource, SourceSink } from "../../../src/sources/port.js";
import { TestNode } from "../../agent/node.js";
import { aContainer, aPod } from "../../pod/pods.js";

class Source implements PodSource {
  pods: readonly Pod[] = [];
  sink: SourceSink | undefined;

  constructor(readonly name: string) {}

  async start(sink: SourceSink): Promise<void> {
    this.sink = sink;
    sink.desired(this.pods);
  }

  async stop(): Promise<void> {}
}

const containers = [aContainer("main", { image: "app:1", command: ["until-term"] })];
const victim = aPod({ containers }, { name: "victim", uid: "the-uid" });
const thief = aPod({ containers }, { name: "thief", uid: "the-uid" });

async function stolen(): Promise<{ readonly node: TestNode; readonly first: Source; readonly second: Source }> {
  const [first, second] = [new Source("first"), new Source("second")];
  second.pods = [victim];
  const node = await new TestNode({ sources: () => [first, second] }).start();
  await node.clock.advance(5_000);
  return { node, first, second };
}

const names = (node: TestNode): readonly string[] => node.agent.api.pods().map(({ metadata }) => metadata.name);
const refusals = (node: TestNode): readonly string[] => node.events().filter((text) => text.startsWith("DuplicateUid"));

test("a second pod of the same uid from another source is refused and reported", async () => {
  const { node, first } = await stolen();
  first.sink?.desired([thief]);
  first.sink?.changed({ set: [thief] });
  await node.clock.advance(60_000);
  expect(names(node)).toEqual(["victim"]);
  expect(refusals(node)).toEqual([
    expect.stringContaining("default/thief has the uid the-uid of a pod of source second"),
  ]);
});

test("a source that comes first after a restart gets no pod of another one", async () => {
  const { node, first } = await stolen();
  await node.stop();
  first.pods = [thief];
  await node.start();
  await node.clock.advance(60_000);
  expect(names(node)).toEqual(["victim"]);
  expect(node.status("victim").containerStatuses?.[0]?.restartCount).toBe(0);
  expect(refusals(node)).toHaveLength(1);
});

test("a sandbox of an agent that did not note the source is taken over by the source that wants the pod", async () => {
  const { node } = await stolen();
  await node.stop();
  const real = node.runtime.listSandboxes.bind(node.runtime);
  jest.spyOn(node.runtime, "listSandboxes").mockImplementation(async (filter) =>
    (await real(filter)).map((sandbox) => {
      const { "hooklet.dev/source": noted, ...annotations } = sandbox.annotations;
      expect(noted).toBe("second");
      return { ...sandbox, annotations };
    }),
  );
  await node.start();
  await node.clock.advance(5_000);
  expect(node.status("victim").containerStatuses?.[0]?.restartCount).toBe(0);
  jest.restoreAllMocks();
});

test("the source annotation of a manifest is ignored", async () => {
  const [first, second] = [new Source("first"), new Source("second")];
  second.pods = [aPod({ containers }, { ...victim.metadata, annotations: { "hooklet.dev/source": "first" } })];
  const node = await new TestNode({ sources: () => [first, second] }).start();
  await node.clock.advance(5_000);
  const [sandbox] = await node.runtime.listSandboxes();
  expect(sandbox?.annotations["hooklet.dev/source"]).toBe("second");
});

test("a pod that was refused for its uid runs once the other source has given it up", async () => {
  const { node, first, second } = await stolen();
  first.sink?.desired([thief]);
  await node.clock.advance(5_000);
  expect(names(node)).toEqual(["victim"]);
  second.sink?.desired([]);
  await node.clock.advance(60_000);
  expect(names(node)).toEqual(["thief"]);
});

test("a pod that was refused for its uid, and that its source has removed meanwhile, does not run", async () => {
  const { node, first, second } = await stolen();
  first.sink?.desired([]);
  first.sink?.changed({ set: [thief] });
  first.sink?.changed({ removed: [{ uid: "the-uid" }] });
  second.sink?.desired([]);
  await node.clock.advance(60_000);
  expect(names(node)).toEqual([]);
});
