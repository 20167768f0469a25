/** A folder with scenarios, and the context in which commands find them. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll } from "@jest/globals";
import { type FakeIo, fakeIo } from "../../../../cli/test/cli.js";
import type { ScenarioContext } from "../../../src/commands/options.js";

const pod = (name: string) => ({ metadata: { name }, spec: { containers: [{ name: "main", image: "web:1" }] } });

/** Two pods, of which the first crashes once. With `node.maxPods=1` the second one is refused. */
export const TWO_PODS = {
  description: "two pods",
  timeline: [
    { at: 1, apply: pod("a") },
    { at: 2, apply: pod("b") },
    { at: 20, exit: { pod: "a", code: 3 } },
  ],
  until: "1m",
  expect: [
    { pod: "a", phase: "Running", restarts: 1 },
    { pod: "b", phase: "Running" },
  ],
};

export interface Place {
  readonly path: string;
  write(name: string, content: unknown): Promise<void>;
  /** What a command printed, and its exit code. */
  run(work: (context: ScenarioContext) => Promise<number>): Promise<{ code: number; out: string; err: string }>;
  context(io?: FakeIo): ScenarioContext;
}

/** For all tests of a file. */
export function scenarioFolder(): Place {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "hooklet-scenarios-"));
  });
  afterAll(() => rm(folder, { recursive: true }));
  const context = (io = fakeIo()): ScenarioContext =>
    ({
      io: { ...io, cwd: () => folder },
      global: {},
      host: { url: import.meta.url, plugins: [], rcOfKubelet: async () => ({ rc: {}, left: [] }) },
    }) as unknown as ScenarioContext;
  return {
    get path() {
      return folder;
    },
    write: (name, content) =>
      writeFile(path.join(folder, name), typeof content === "string" ? content : JSON.stringify(content)),
    async run(work) {
      const io = fakeIo();
      const code = await work(context(io));
      return { code, out: io.stdout.text, err: io.stderr.text };
    },
    context,
  };
}
