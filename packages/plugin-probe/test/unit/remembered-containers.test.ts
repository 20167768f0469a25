import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Json } from "@hooklet/core";
import { encodeChecked } from "@hooklet/core/internal";
import { startTestAgent } from "@hooklet/testkit";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { createProbePlugin } from "../../src/internal.js";

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
