/** What `hooklet explain` tells of a pod at this moment; its words are in pod-status-situation-words. */
import { describe, expect, test } from "@jest/globals";
import type { LoadedPlugin } from "../../../src/plugin/loaded.js";
import { TestNode } from "../../agent/node.js";

const manifest = (name: string, spec: string): string => `
apiVersion: v1
kind: Pod
metadata: { name: ${name} }
spec: ${spec}
`;

let here: TestNode;

async function node(): Promise<void> {
  here = new TestNode();
  here.runtime.addImage({ id: "sha256:app", names: ["app:1"], size: 1 });
  await here.start();
}

/** What is said now of a pod and of its containers. */
async function reported(name = "web"): Promise<readonly string[]> {
  const said = await here.agent.api.explainNow("pod", name);
  return said.filter(({ plugin }) => plugin === "core").map(({ subject, outcome }) => `${subject}: ${outcome}`);
}

describe("of a pod that", () => {
  test("crashes: the last exit, the back-off, and when it comes again", async () => {
    await node();
    here.runtime.script({ container: "main" }, (process) => process.after(2000, () => process.exit(3)));
    await here.manifest("web.yaml", manifest("web", "{ containers: [{ name: main, image: 'app:1' }] }"));
    await here.clock.advance(7_000);
    const [, main] = await reported();
    expect(main).toMatch(
      /: ended 3s ago with exit code 3 \(Error\) having run 2s; started again in 7s, after a back-off of 10s$/,
    );
    await here.clock.advance(8_000);
    expect((await reported())[1]).toMatch(
      /runs since 1s \(restarted 2 times\); before that it ended 11s ago with exit code 3/,
    );
  });
});

test("what a plugin sets in a container is a decision about it", async () => {
  const team: LoadedPlugin = {
    plugin: {
      meta: { name: "team", api: 1 },
      start: (ctx) => void ctx.hooks.containerStart.tap((plan) => plan.setEnv("TEAM", "red")),
    },
    options: {},
    specifier: "team",
    origin: "test",
    file: "team",
  };
  here = new TestNode({ plugins: [team] });
  here.runtime.addImage({ id: "sha256:app", names: ["app:1"], size: 1 });
  await here.start();
  await here.manifest(
    "web.yaml",
    manifest("web", "{ containers: [{ name: main, image: 'app:1', command: [until-term] }] }"),
  );
  expect(here.agent.api.explain("pod", "web")).toMatchObject([
    {
      plugin: "team",
      strategy: "containerStart",
      subject: "container/default/web-node1/main",
      outcome: "set env TEAM",
    },
  ]);
});

test("a pod that was applied is explained without the pod of a file that has its name with the node's suffix", async () => {
  await node();
  const spec = "{ containers: [{ name: main, image: 'app:1', command: [until-term] }] }";
  await here.manifest("web.yaml", manifest("web", spec));
  await here.agent.api.apply(manifest("web", spec), "-f");
  await here.clock.advance(1_000);
  const ofTheFile = "container/default/web-node1/main: ";
  expect(
    (await reported("web-node1")).map((line) => line.startsWith(ofTheFile) || line.includes("web-node1:")),
  ).not.toContain(false);
  expect((await reported("default/web")).filter((line) => line.includes("web-node1"))).toEqual([]);
  expect(await reported("default/web")).not.toEqual([]);
});

test("an unknown pod has no situation", async () => {
  await node();
  expect(await reported("nobody")).toEqual([]);
});
