import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "@hooklet/config";
import type { AgentConfig } from "@hooklet/core/host";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { tryPlugins } from "../../../src/commands/in-scenario.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hooklet-try-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The configuration of a node with this one plugin, whose `start` has this body. */
async function withPlugin(name: string, body: string): Promise<AgentConfig> {
  await writeFile(
    join(folder, `${name}.mjs`),
    `export default {\n  meta: { name: "${name}", api: 1 },\n  start({ hooks }) {\n    ${body}\n  },\n};\n`,
  );
  await writeFile(
    join(folder, "rc.json"),
    JSON.stringify({ plugins: [`./${name}.mjs`], rootDir: join(folder, "root") }),
  );
  return loadConfig({ hooklet: import.meta.url, plugins: [], cwd: folder, flags: { config: "rc.json" } });
}

test("plugins that start are started and stopped, and nothing of the machine is touched", async () => {
  const config = await withPlugin("fine", "hooks.podAdmit.tap(() => undefined);");
  await expect(tryPlugins(config)).resolves.toBeUndefined();
});

test("one whose start throws is named with file and line, and with the hooks there are", async () => {
  const config = await withPlugin("broken", "hooks.podAdmitted.tap(() => undefined);");
  await expect(tryPlugins(config)).rejects.toThrow(
    /Plugin "broken" could not be started: .*expected podAdmit, containerStart, podTerminate or tick\(SECONDS\), found .*podAdmitted.*broken\.mjs:4:\d+\)/s,
  );
});

test("so is one whose open throws", async () => {
  const config = await withPlugin("late", 'return { open() { throw new Error("no such table"); } };');
  await expect(tryPlugins(config)).rejects.toThrow(
    /Plugin "late" could not be started: no such table \(.*late\.mjs:4:\d+\)/,
  );
});
