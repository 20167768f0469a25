/** Pods that ended before a restart of the agent: they hold nothing of the node, and take nothing from those that run. */
import { expect, test } from "@jest/globals";
import { z } from "zod";
import type { NodeContext } from "../../../src/plugin/contract.js";
import type { LoadedPlugin } from "../../../src/plugin/loaded.js";
import { TestNode } from "../../agent/node.js";

const manifest = (name: string, cpu: string, spec: object = {}): string => {
  const containers = [{ name, image: "app:1", resources: { requests: { cpu } } }];
  return JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name }, spec: { containers, ...spec } });
};

let ctx: NodeContext | undefined;

/** Evicts, and takes a while for the end of each pod. */
function slow(): LoadedPlugin {
  const plugin = {
    meta: { name: "slow", api: 1 as const },
    options: z.strictObject({}),
    start(given: NodeContext) {
      ctx = given;
      given.hooks.podTerminate.tap(async () => {
        await new Promise<void>((resolve) => given.clock.schedule(5_000, resolve));
      });
    },
  };
  return { plugin, options: {}, specifier: "slow", origin: "test", file: "slow" };
}

async function node(): Promise<TestNode> {
  const here = new TestNode({ plugins: [slow()], node: { capacity: { cpu: "2" } } });
  here.runtime.addImage({ id: "sha256:app", names: ["app:1"], size: 1 });
  return here.start();
}

async function apply(here: TestNode, text: string): Promise<void> {
  await here.agent.api.apply(text, "test");
  await here.clock.advance(1_000);
}

async function restart(here: TestNode): Promise<void> {
  await here.stop();
  await here.start();
  await here.clock.advance(60_000);
}

test("what was evicted takes no running pod's place", async () => {
  const here = await node();
  await apply(here, manifest("victim", "1"));
  const evicted = ctx?.pods.evict(here.pod("victim").metadata.uid, {
    reason: "Preempting",
    message: "for a critical pod",
  });
  await here.clock.advance(60_000);
  await evicted;
  await apply(here, manifest("one", "1"));
  await apply(here, manifest("two", "1"));
  await restart(here);
  expect(["victim", "one", "two"].map((name) => here.status(name).phase)).toEqual(["Failed", "Running", "Running"]);
  expect(here.status("victim").reason).toBe("Preempting");
});

test("a job that is done takes no running pod's place, and stays Succeeded", async () => {
  const here = await node();
  here.runtime.script({ container: "job" }, (process) => process.after(1_000, () => process.exit(0)));
  await apply(here, manifest("job", "1", { restartPolicy: "Never" }));
  await here.clock.advance(10_000);
  await apply(here, manifest("one", "1"));
  await apply(here, manifest("two", "1"));
  await restart(here);
  expect(
    ctx?.pods
      .active()
      .map(({ metadata }) => metadata.name)
      .toSorted(),
  ).toEqual(["one", "two"]);
  expect(["job", "one", "two"].map((name) => here.status(name).phase)).toEqual(["Succeeded", "Running", "Running"]);
});
