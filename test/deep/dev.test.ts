/** `hooklet dev` as a program: the run after a save is in a process that was prepared, and none is left. */
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { binary, until } from "../support/agent.js";

const LIMIT = 120_000;
const plugin = (reason: string): string => `export default {
  meta: { name: "mine", api: 1 },
  start({ hooks }) {
    hooks.podAdmit.tap((verdict) => verdict.reject({ reason: "${reason}", message: "no" }));
  },
};
`;
const SCENARIO = `config: { plugins: [./mine.mjs] }
timeline:
  - at: 1s
    apply: { metadata: { name: web }, spec: { containers: [{ name: main, image: "web:1" }] } }
until: 1m
`;

test(
  "each save shows what the plugin does now, also after a fault, and Ctrl-C leaves no process",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "hooklet-dev-"));
    await writeFile(join(folder, "mine.mjs"), plugin("First"));
    await writeFile(join(folder, "scenario.yaml"), SCENARIO);
    const dev = spawn(binary, ["dev", ".", "--scenario", "scenario.yaml"], { cwd: folder, detached: true });
    let said = "";
    for (const stream of [dev.stdout, dev.stderr])
      stream.on("data", (data: Buffer) => {
        said += data.toString();
      });
    const shows = (text: string) => until(`it shows ${text}`, async () => said.includes(text));
    try {
      await shows("Failed (First)");
      await writeFile(join(folder, "mine.mjs"), plugin("Second"));
      await shows("pod web: Failed (First) -> Failed (Second)");
      await writeFile(join(folder, "mine.mjs"), "export default {");
      await shows("it cannot be run");
      await writeFile(join(folder, "mine.mjs"), plugin("Third"));
      await shows("pod web: Failed (Second) -> Failed (Third)");
      process.kill(dev.pid as number, "SIGINT");
      await until("it ends", async () => dev.exitCode !== null);
      expect(dev.exitCode).toBe(0);
      const group = -(dev.pid as number);
      await until("its processes have gone", async () => !isThere(group));
    } finally {
      if (isThere(-(dev.pid as number))) process.kill(-(dev.pid as number), "SIGKILL");
      await rm(folder, { recursive: true });
    }
  },
  LIMIT,
);

function isThere(group: number): boolean {
  try {
    return process.kill(group, 0);
  } catch {
    return false;
  }
}
