/** Pods of an earlier life of the agent: what plugins and a runtime in trouble cannot do to them. */

import { RuntimeError } from "@hooklet/cri-api";
import { describe, expect, test } from "@jest/globals";
import { z } from "zod";
import type { NodeContext } from "../../../src/plugin/contract.js";
import { type NodeParts, TestNode } from "../../agent/node.js";

const POD = `
apiVersion: v1
kind: Pod
metadata: { name: web }
spec:
  nodeSelector: { disk: ssd }
  containers: [{ name: main, image: 'app:1' }]
`;

test("one that is in back-off while the agent restarts continues, though a label was removed meanwhile", async () => {
  const parts: { node: NonNullable<NodeParts["node"]> } = { node: { labels: { disk: "ssd" } } };
  const here = new TestNode(parts);
  here.runtime.addImage({ id: "sha256:app", names: ["app:1"], size: 1 });
  here.runtime.script({ container: "main" }, (process) => process.after(1_000, () => process.exit(3)));
  await here.start();
  await here.manifest("web.yaml", POD);
  await here.clock.advance(15_000);
  const [before] = here.status("web").containerStatuses ?? [];
  expect(before?.state?.waiting?.reason).toBe("CrashLoopBackOff");
  await here.stop();
  parts.node = { labels: {} };
  await here.start();
  await here.clock.advance(60_000);
  expect(here.status("web").phase).toBe("Running");
  expect(here.status("web").containerStatuses?.[0]?.restartCount).toBeGreaterThan(before?.restartCount ?? 0);
});

describe("a crashing pod whose next agent gets no word of a container", () => {
  const crashing = async (): Promise<TestNode> => {
    const here = new TestNode();
    here.runtime.addImage({ id: "sha256:app", names: ["app:1"], size: 1 });
    here.runtime.script({ container: "main" }, (process) => process.after(1_000, () => process.exit(3)));
    await here.start();
    await here.manifest("web.yaml", POD.replace("nodeSelector: { disk: ssd }", ""));
    await here.clock.advance(15_000);
    // As garbage collection does.
    await here.runtime.removeContainer((await containers(here))[0]?.id ?? "");
    expect(await attempts(here)).toEqual([1, 2]);
    return here;
  };
  const containers = async ({ runtime }: TestNode) =>
    (await runtime.listContainers()).toSorted((a, b) => a.metadata.attempt - b.metadata.attempt);
  const attempts = async (here: TestNode) => (await containers(here)).map(({ metadata }) => metadata.attempt);
  const statusFails = ({ runtime }: TestNode, error: Error, of = (_: string) => true): (() => void) => {
    const ask = runtime.containerStatus.bind(runtime);
    runtime.containerStatus = async (id) => {
      if (of(id)) throw error;
      return ask(id);
    };
    return () => {
      runtime.containerStatus = ask;
    };
  };

  test("of one that is removed meanwhile: the others are taken over", async () => {
    const here = await crashing();
    const [first] = await containers(here);
    await here.stop();
    statusFails(here, new RuntimeError("not-found", "the container is gone"), (id) => id === first?.id);
    await here.start();
    expect(here.status("web").containerStatuses?.[0]?.restartCount).toBe(2);
  });

  test("while the runtime fails: no second one is started, and the count continues once it works", async () => {
    const here = await crashing();
    await here.stop();
    const works = statusFails(here, new RuntimeError("unknown", "the runtime is in trouble"));
    await here.start();
    await here.clock.advance(60_000);
    expect(await attempts(here)).toEqual([1, 2]);
    expect(here.events().join("\n")).toContain("the runtime is in trouble");
    works();
    await here.clock.advance(12_000);
    expect(await attempts(here)).toEqual([1, 2, 3]);
    expect(here.status("web").containerStatuses?.[0]?.restartCount).toBe(3);
  });
});

test("pods that ran are admitted before new ones, however slow the runtime tells of them and whatever their priority", async () => {
  const admitted: string[] = [];
  const plugin = {
    meta: { name: "looking", api: 1 as const },
    options: z.strictObject({}),
    start: (ctx: NodeContext) =>
      void ctx.hooks.podAdmit.tap((_verdict, { pod }) => void admitted.push(pod.metadata.name)),
  };
  const here = new TestNode({
    plugins: [{ plugin, options: {}, specifier: "looking", origin: "test", file: "looking" }],
  });
  here.runtime.addImage({ id: "sha256:app", names: ["app:1"], size: 1 });
  const manifest = POD.replace("nodeSelector: { disk: ssd }", "");
  await here.start();
  await here.manifest("web.yaml", manifest);
  await here.clock.advance(1_000);
  await here.stop();
  await here.manifest(
    "new.yaml",
    manifest.replace("name: web", "name: new").replace("spec:", "spec:\n  priority: 2000001000"),
  );
  const ask = here.runtime.containerStatus.bind(here.runtime);
  here.runtime.containerStatus = async (id) => {
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    return ask(id);
  };
  admitted.splice(0);
  await here.start();
  await here.clock.advance(1_000);
  expect(admitted).toEqual(["web-node1", "new-node1"]);
});

test("plugins hear that sources are ready once the pods of all of them are known: until then a pod only seems to be gone", async () => {
  let ctx: NodeContext | undefined;
  const known = () => [ctx?.pods.sourcesReady(), ctx?.pods.get("web") !== undefined];
  const atOpen: ReturnType<typeof known> = [];
  const plugin = {
    meta: { name: "looking", api: 1 as const },
    options: z.strictObject({}),
    start: (given: NodeContext) => {
      ctx = given;
      return { open: () => void atOpen.push(...known()) };
    },
  };
  const here = new TestNode({
    plugins: [{ plugin, options: {}, specifier: "looking", origin: "test", file: "looking" }],
  });
  await here.manifest("web.yaml", POD.replace("name: web", "name: web, uid: web"));
  await here.start();
  expect([atOpen, known()]).toEqual([
    [false, false],
    [true, true],
  ]);
});
