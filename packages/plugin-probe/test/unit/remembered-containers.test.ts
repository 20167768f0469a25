import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Json } from "@hooklet/core";
import { encodeChecked } from "@hooklet/linux";
import { startTestAgent } from "@hooklet/testkit";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { createProbePlugin } from "../../src/internal.js";
import { keepMemory, memoryOf, Remembered, takeUp } from "../../src/remembered-containers.js";

let rootDir: string;
beforeEach(() => {
  rootDir = mkdtempSync(path.join(tmpdir(), "hooklet-probe-"));
});
afterEach(() => rmSync(rootDir, { recursive: true, force: true }));

test.each<[string, Json]>([
  ["null", null],
  ["a list", [1, "a"]],
  ["other types", { containers: { "fake://1": { ready: "true", started: 1 } } }],
])("a memory that is %s, whole by its checksum, keeps no agent from starting", async (_name, saved) => {
  const folder = path.join(rootDir, "state/plugins/_hooklet_plugin-probe");
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "containers.json"), encodeChecked(saved));
  const agent = await startTestAgent({ rootDir, plugins: [createProbePlugin()] });
  expect(agent.log.map(({ msg }) => msg).join("\n")).toContain("containers.json is damaged");
});

const running = (id: string, state = "CONTAINER_RUNNING", startedAt = 0) =>
  ({ id, state, metadata: { name: id, attempt: 0 }, startedAt: BigInt(startedAt) * 1_000_000n }) as never;
const ready = { ready: true, started: true };
const started = { ready: false, started: true };

test("of what was remembered only containers that run are kept, each until it is taken", () => {
  const remembered = new Remembered();
  const memory = { containers: { a: ready, b: started, gone: ready } };
  remembered.open(memory, { containers: [running("a"), running("b", "CONTAINER_EXITED"), running("new")] });
  expect([...remembered.entries()]).toEqual([["a", ready]]);
  expect([remembered.take("a"), remembered.take("a"), remembered.take("b")]).toEqual([ready, undefined, undefined]);
});

test("the memory has the containers that began, and those whose pods are still to come", () => {
  const record = (containerId: string, more: object) =>
    ({ containerId, remembered: undefined, ref: {}, ...more }) as never;
  const all = () => [record("a", started), record("", ready), record("b", ready)];
  const entries = () =>
    [
      ["a", ready],
      ["old", started],
    ] as const;
  expect(memoryOf({ all }, { entries })).toEqual({ containers: { a: started, old: started, b: ready } });
});

test("the memory is kept as a whole, at most every 100 ms; a failure is a warning", () => {
  const made: { name?: string; options?: { spacing?: number; value(): unknown; failed(error: Error): void } } = {};
  const warnings: string[] = [];
  const checkpoint = (name: string) => ({ keep: (options: never) => Object.assign(made, { name, options }) });
  keepMemory({ checkpoint, log: { warn: (text: string) => warnings.push(text) } } as never, () => ({ containers: {} }));
  made.options?.failed(new Error("disk full"));
  expect([made.name, made.options?.spacing, made.options?.value()]).toEqual(["containers", 100, { containers: {} }]);
  expect(warnings).toEqual([
    "could not keep which containers are ready: disk full; until the next change an agent that is restarted may take some for not ready",
  ]);
});

test("what runs of a pod is taken up: as remembered, else by the time that it has run", () => {
  const probe = { httpGet: { port: 80 } };
  const names = ["known", "old", "fresh", "plain", "sidecar"];
  const probed = (name: string) => ({ name, ...(name === "plain" ? {} : { readinessProbe: probe }) });
  const [sidecar, containers] = [{ ...probed("sidecar"), restartPolicy: "Always" }, names.slice(0, 4).map(probed)];
  const pod = { metadata: { uid: "u" }, spec: { containers, initContainers: [sidecar, probed("init")] } } as never;
  const remembered = new Remembered();
  remembered.open({ containers: { known: started } }, { containers: [running("known")] });
  const adopted: unknown[] = [];
  const adopt = (_: unknown, { name }: { name: string }, id: string, known: unknown) =>
    void adopted.push([name, id, known]);
  const times: Record<string, number> = { old: 9_999, fresh: 10_000, sidecar: 9_999 };
  const all = [...names, "init", "other"].map((name) => running(name, "CONTAINER_RUNNING", times[name]));
  takeUp({ adopt } as never, remembered, { pod, running: all, now: 20_000 });
  expect(adopted).toEqual([
    ["known", "known", started],
    ["old", "old", ready],
    ["fresh", "fresh", undefined],
    ["sidecar", "sidecar", ready],
  ]);
});
