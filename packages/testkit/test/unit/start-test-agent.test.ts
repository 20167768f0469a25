import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { definePlugin, type StrategyEntry } from "@hooklet/core";
import { disk } from "@hooklet/linux";
import { mountMemoryDisk } from "@hooklet/sim";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { aPod } from "../../src/builders.js";
import { startTestAgent } from "../../src/start-test-agent.js";
import type { TestAgent } from "../../src/test-agent/test-agent.js";
import { restartCounter } from "./fixtures/restart-counter.js";

const manifest = `
apiVersion: v1
kind: Pod
metadata: { name: job }
spec:
  restartPolicy: Never
  containers: [{ name: main, image: "job:1", command: [exit-after, "5000", "3"] }]
`;

const phase = (agent: TestAgent, name: string): string | undefined => agent.pod(name).status?.phase;

test("pods that were applied run in the real core, through the plugins' hooks", async () => {
  const agent = await startTestAgent({ plugins: [[restartCounter, { periodSeconds: 5 }]], pods: [aPod()] });
  await agent.waitFor(() => phase(agent, "web") === "Running");
  expect(agent.runtime.running("web")).toEqual(["main"]);
  expect(agent.runtime.configOf("web", "main").envs).toContainEqual({ key: "STARTS", value: "0" });
  expect(agent.events().map(({ reason }) => reason)).toContain("Started");
  expect(agent.problems()).toEqual([]);
});

test("a manifest is read as the agent reads it, and its pod ends as its program does", async () => {
  const agent = await startTestAgent();
  await agent.apply(manifest);
  await agent.waitFor(() => phase(agent, "job") === "Failed");
  expect(agent.pod("job").status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 3 });
  await expect(agent.apply("{apiVersion: v1, kind: Pod, spec: {}}")).rejects.toThrow("metadata.name");
});

test("a deleted pod is stopped and then gone, and a changed one is another pod", async () => {
  const agent = await startTestAgent({ pods: [aPod({ name: "old" }), aPod({ name: "new" })] });
  await agent.waitFor(() => phase(agent, "old") === "Running" && phase(agent, "new") === "Running");
  const { uid } = agent.pod("new").metadata;
  await agent.delete("old");
  await agent.apply(aPod({ name: "new", containers: [{ args: ["2"] }] }));
  await agent.waitFor(() => agent.api.pods().length === 1 && agent.pod("new").metadata.uid !== uid);
  await agent.waitFor(() => phase(agent, "new") === "Running");
  await expect(agent.delete("old")).rejects.toThrow("there is no pod default/old; there is default/new");
});

test("the same test gives every pod the same events and status every time, to the millisecond", async () => {
  const life = async (): Promise<readonly string[]> => {
    const other = aPod({ name: "b", containers: [{ image: "b:1" }] });
    const agent = await startTestAgent({ pods: [aPod({ name: "a" }), other, manifest] });
    await agent.advance(120_000);
    agent.runtime.exit("a", "main", 1);
    await agent.advance(120_000);
    await agent.delete("b");
    await agent.advance(60_000);
    // Between pods, what happens at one instant comes in the order in which the machine wrote their files.
    const events = agent
      .events()
      .map(({ reason, message, involvedObject, firstTimestamp, count }) =>
        [involvedObject.name, firstTimestamp, reason, message, count].join(" "),
      );
    const statuses = JSON.stringify(
      agent.api.pods().map(({ status }) => status),
      undefined,
      1,
    );
    await agent.stop();
    return [...events.sort(), ...statuses.split("\n")];
  };
  expect(await life()).toEqual(await life());
});

test("a plugin that cannot start leaves no agent behind", async () => {
  const broken = definePlugin({
    meta: { name: "broken", api: 1 },
    options: (z) => z.object({}),
    start() {
      throw new Error("no licence");
    },
  });
  await expect(startTestAgent({ plugins: [broken] })).rejects.toThrow(/broken.*no licence/);
});

test("options that a plugin refuses are refused before anything starts", async () => {
  await expect(startTestAgent({ plugins: [[restartCounter, { periodSeconds: "long" }]] })).rejects.toThrow(
    "periodSeconds",
  );
});

test("a wait in vain is reported with pods and events", async () => {
  const agent = await startTestAgent({ pods: [aPod()] });
  await expect(agent.waitFor(() => phase(agent, "web") === "Failed", 5000)).rejects.toThrow(
    /5000 ms.*Failed[\s\S]*web[\s\S]*Started/,
  );
});

test("an agent that is stopped leaves no timer and no file", async () => {
  const agent = await startTestAgent({ plugins: [restartCounter], pods: [aPod()] });
  await agent.waitFor(() => phase(agent, "web") === "Running");
  await agent.stop();
  await agent.stop();
  expect(agent.clock.pending).toBe(0);
  expect(existsSync(agent.rootDir)).toBe(false);
});

let forgotten: TestAgent | undefined;

test("an agent may be forgotten by its test", async () => {
  forgotten = await startTestAgent();
  expect(forgotten.api.pods()).toEqual([]);
});

test("a forgotten agent was stopped after its test", () => {
  expect(() => forgotten?.api).toThrow("does not run");
  expect(existsSync(forgotten?.rootDir ?? "/")).toBe(false);
});

describe("plugins and rc files: files", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hooklet-testkit-"));
    const plugin = (name: string): string =>
      `export default { meta: { name: "${name}", api: 1 }, options: (z) => z.strictObject({ max: z.number().default(1) }), start({ hooks }, { max }) {
        hooks.containerStart.tap((plan) => plan.setEnv("${name.toUpperCase()}", String(max)));
      } };`;
    await writeFile(join(folder, "one.mjs"), plugin("one"));
    await writeFile(join(folder, "two.mjs"), plugin("two"));
    await writeFile(join(folder, "rc.yaml"), "node: { maxPods: 1 }\nplugins:\n  - [./one.mjs, { max: 7 }]\n");
    await writeFile(
      join(folder, "last.mjs"),
      'export default { description: "The last", create: () => ({ names }) => names.at(-1) };',
    );
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test("an rc file's plugins run with their options, beside others from files, and its node is the test's", async () => {
    const agent = await startTestAgent({
      rc: "rc.yaml",
      folder,
      plugins: ["./two.mjs"],
      pods: [aPod({ name: "web" })],
    });
    await agent.waitFor(() => agent.pod("web").status?.phase === "Running");
    expect(agent.runtime.configOf("web", "main").envs).toEqual(
      expect.arrayContaining([
        { key: "ONE", value: "7" },
        { key: "TWO", value: "1" },
      ]),
    );
    await agent.apply(aPod({ name: "more" }));
    expect(agent.pod("more").status).toMatchObject({ phase: "Failed", reason: "OutOfpods" });
  });

  test("faults are reported as `hooklet check` prints them", async () => {
    await expect(startTestAgent({ plugins: ["./missing.mjs"], folder })).rejects.toThrow("./missing.mjs");
    await expect(startTestAgent({ plugins: [["./one.mjs", { max: "x" }]], folder })).rejects.toThrow(/max: expected/);
    await expect(startTestAgent({ rc: "none.yaml", folder })).rejects.toThrow("none.yaml");
  });

  test("a strategy comes from a file", async () => {
    type Choose = (input: { readonly names: readonly string[] }) => string | undefined;
    const chosen: unknown[] = [];
    const first: StrategyEntry<Choose> = {
      description: "The first",
      options: (z) => z.object({}),
      create:
        () =>
        ({ names }) =>
          names[0],
    };
    const chooser = definePlugin({
      meta: { name: "chooser", api: 1 },
      options: (z) => z.object({}),
      strategies: { choose: { first } },
      start(_, __, { choose }) {
        chosen.push(choose({ names: ["a", "b"] }));
      },
    });
    await startTestAgent({ plugins: [[chooser, { choose: { use: "./last.mjs" } }]], folder });
    expect(chosen).toEqual(["b"]);
  });
});

test("a root dir in memory keeps state and logs over restarts of the agent, and nothing of it lies on the machine", async () => {
  const rootDir = "/simulated-agent";
  const unmount = mountMemoryDisk(rootDir);
  try {
    const agent = await startTestAgent({ rootDir, plugins: [restartCounter] });
    agent.runtime.script({ pod: "web", container: "main" }, (process) => process.print("hello\n"));
    await agent.apply(aPod());
    await agent.waitFor(() => phase(agent, "web") === "Running");
    await agent.restart();
    expect((await agent.api.view("starts")).rows).toMatchObject([{ starts: 1 }]);
    const { path } = await agent.api.log({ namespace: "default", name: "web" }, "main", { previous: false });
    expect(disk.readFileSync(path, "utf8")).toMatch(/ stdout F hello\n$/);
    expect(agent.problems()).toEqual([]);
    await agent.stop();
    expect(existsSync(rootDir)).toBe(false);
  } finally {
    unmount();
  }
});
