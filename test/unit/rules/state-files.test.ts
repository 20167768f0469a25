/** State files of an agent of before, commit c5301796, are read; one that holds something else is moved aside, and keeps no agent from starting. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Json } from "@hooklet/core";
import { encodeChecked } from "@hooklet/linux";
import { startTestAgent } from "@hooklet/testkit";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import cgroups from "../../../packages/plugin-cgroups/src/index.js";
import eviction from "../../../packages/plugin-eviction/src/index.js";
import imagegc from "../../../packages/plugin-imagegc/src/index.js";
import preemption from "../../../packages/plugin-preemption/src/index.js";
import probe from "../../../packages/plugin-probe/src/index.js";
import shutdown from "../../../packages/plugin-shutdown/src/index.js";

/** As that agent wrote them. */
const files: Readonly<Record<string, Json>> = {
  deaths: { "uid-1": { count: 2, error: "TypeError: x" } },
  terminations: {
    "uid-1": {
      kind: "evicted",
      by: "@hooklet/plugin-eviction",
      reason: "Evicted",
      message: "The node was low on resource: memory. ",
      condition: { type: "DisruptionTarget", reason: "TerminationByKubelet", message: "x" },
    },
    "uid-2": { kind: "deadline" },
    "uid-3": { kind: "evicted", by: "@hooklet/plugin-shutdown", reason: "Terminated", message: "x", lasting: false },
  },
  "plugins/_hooklet_plugin-probe/containers": { containers: { "fake://1": { ready: true, started: false } } },
  "plugins/_hooklet_plugin-eviction/pending": { pods: ["uid-1"] },
  "plugins/_hooklet_plugin-preemption/pending": { "uid-1": ["uid-2", "uid-3"], "uid-4": [] },
  "plugins/_hooklet_plugin-imagegc/images": {
    version: 1,
    writtenAt: 1_700_000_000_000,
    boot: { id: "3f0c", uptime: 12_000 },
    began: 95,
    images: { "sha256:a": [90, 60], "sha256:b": [null, null] },
  },
  "plugins/_hooklet_plugin-cgroups/pods": { uids: ["uid-1"] },
  "plugins/_hooklet_plugin-cgroups/resizes": {
    "uid-1": {
      since: 1_700_000_000_000,
      refusal: { reason: "Deferred", message: "Node didn't have enough resource: cpu" },
      containers: { main: { requests: { cpu: "1" }, limits: { memory: "1Gi" } }, side: { requests: {}, limits: {} } },
    },
    "uid-2": { since: 1_700_000_000_000, containers: {} },
  },
  "plugins/_hooklet_plugin-shutdown/graceful_node_shutdown_state": { start: 1_700_000_000_000, end: 1_700_000_001_000 },
};
const plugins = [eviction, imagegc, cgroups, preemption, probe, shutdown];

let rootDir: string;
beforeEach(() => {
  rootDir = mkdtempSync(path.join(tmpdir(), "hooklet-state-"));
});
afterEach(() => rmSync(rootDir, { recursive: true, force: true }));

function place(name: string, content: Json): string {
  const file = path.join(rootDir, "state", `${name}.json`);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, encodeChecked(content));
  return file;
}

const corrupt = (agent: { events(): readonly { readonly reason?: string; readonly message?: string }[] }) =>
  agent.events().flatMap(({ reason, message = "" }) => (reason === "CorruptCheckpoint" ? [message] : []));

test("each of them is read", async () => {
  for (const [name, content] of Object.entries(files)) place(name, content);
  const agent = await startTestAgent({ rootDir, plugins });
  expect(corrupt(agent)).toEqual([]);
  await agent.stop();
});

test.each(Object.keys(files))(
  "%s with something else in it is moved aside with an event, and the agent starts",
  async (name) => {
    const file = place(name, { "uid-1": 5, containers: 5, pods: 5, uids: 5, version: 5, start: "x" });
    const agent = await startTestAgent({ rootDir, plugins });
    expect(corrupt(agent)).toEqual([expect.stringContaining(file)]);
    expect(readdirSync(path.dirname(file)).some((one) => one.startsWith(`${path.basename(file)}.corrupt-`))).toBe(true);
    await agent.stop();
  },
);
