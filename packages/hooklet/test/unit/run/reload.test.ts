import type { AgentConfig } from "@hooklet/core/host";
import { expect, test } from "@jest/globals";
import { Reload } from "../../../src/run/reload.js";

const config = (parts: object = {}): AgentConfig =>
  ({
    rootDir: "/r",
    socket: "/s",
    runtime: { specifier: "process" },
    node: { name: "n1" },
    port: 1,
    ...parts,
  }) as AgentConfig;

async function reloadTo(next: AgentConfig) {
  const reload = new Reload(async () => next);
  const granted = reload.running(config());
  return { reload, granted, asked: reload.request() };
}

test("what else changes is granted: the next agent gets it, and the former configuration to go back to", async () => {
  const next = config({ port: 2 });
  const { reload, granted, asked } = await reloadTo(next);
  await asked;
  expect(await granted).toBe("reload");
  expect(await reload.configs()).toEqual({ config: next, before: config() });
});

test.each([
  { name: "rootDir", next: config({ rootDir: "/other" }), values: "from /r to /other" },
  { name: "socket", next: config({ socket: "/t" }), values: "from /s to /t" },
  { name: "runtime", next: config({ runtime: { specifier: "cri" } }), values: "from process to cri" },
  { name: "node.name", next: config({ node: { name: "n2" } }), values: "from n1 to n2" },
])("$name is for a restart alone", async ({ name, next, values }) => {
  const { asked } = await reloadTo(next);
  await expect(asked).rejects.toThrow(
    `${name}: a reload cannot change it ${values}. Restart the agent.\nNothing is reloaded; the agent runs on as it is.`,
  );
});

test("a configuration that cannot be read is refused with its faults", async () => {
  const reload = new Reload(() => Promise.reject(new Error("2 faults")));
  await expect(reload.request()).rejects.toThrow("2 faults\nNothing is reloaded");
});
