/** What `hooklet dev` hears of saves, on a real file system. */
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ScenarioCommands } from "@hooklet/simulate/commands";
import { expect, test } from "@jest/globals";
import { temporaryFolder } from "../../../../server/test/start.js";
import type { AgentContext } from "../../../src/agent-context.js";
import { dev, watchFolders } from "../../../src/commands/dev.js";
import { eventually, type FakeIo, fakeIo } from "../../binary.js";

async function watched() {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "src"));
  await writeFile(join(folder, "src/index.ts"), "1");
  const heard: string[] = [];
  const stop = watchFolders([folder], (file) => heard.push(file));
  const hears = async (file: string): Promise<void> => {
    for (let tries = 0; tries < 200 && !heard.includes(file); tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect(heard).toContain(file);
    heard.length = 0;
  };
  const replace = async (file: string): Promise<void> => {
    await writeFile(join(folder, "new~"), "2");
    await rename(join(folder, "new~"), join(folder, file));
  };
  return { folder, heard, stop, hears, replace };
}

test("each save is heard, in place and by an editor that replaces the file, however often", async () => {
  const { folder, stop, hears, replace } = await watched();
  await writeFile(join(folder, "src/index.ts"), "in place");
  await hears("src/index.ts");
  for (let times = 0; times < 3; times += 1) {
    await replace("src/index.ts");
    await hears("src/index.ts");
  }
  await writeFile(join(folder, "src/index.ts"), "in place again");
  await hears("src/index.ts");
  stop();
});

test("a folder that is new is watched; what is built, what editors leave and the output is not", async () => {
  const { folder, heard, stop, hears } = await watched();
  await mkdir(join(folder, "lib"));
  await hears("lib");
  await writeFile(join(folder, "lib/a.ts"), "1");
  await hears("lib/a.ts");
  await mkdir(join(folder, "dist"));
  await writeFile(join(folder, "src/.index.ts.swp"), "1");
  await writeFile(join(folder, "dev.log"), "1");
  await writeFile(join(folder, "src/b.ts"), "1");
  await hears("src/b.ts");
  expect(heard.filter((file) => /dist|swp|log/.test(file))).toEqual([]);
  stop();
});

test("a change counts in what is loaded: sources, scenarios, what they read; nothing else", async () => {
  const { folder, stop, hears } = await watched();
  const all: string[] = [];
  const end = watchFolders([folder], (file) => all.push(file));
  const count = [
    "a.js",
    "a.cjs",
    "a.mts",
    "a.ts",
    "a.tsx",
    "a.jsx",
    "a.json",
    "a.yaml",
    "a.yml",
    "a.csv",
    ".hookletrc",
  ];
  const ignored = ["a.txt", "a.js.map", "a.js~", ".a.js.swp", "b.tmp", "4913", "my.hookletrc"];
  for (const name of ignored) await writeFile(join(folder, "src", name), "1");
  for (const name of count) {
    await writeFile(join(folder, "src", name), "1");
    await hears(`src/${name}`);
  }
  expect(all.filter((file) => ignored.includes(file.slice("src/".length)))).toEqual([]);
  end();
  stop();
});

/** `hooklet dev owners` beside a scenario that comes to what `verdict` says, and tests of the plugin. */
async function bench(tests: string) {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "owners"));
  for (const name of ["owners/index.js", "scenario.yaml"]) await writeFile(join(folder, name), "1");
  await writeFile(join(folder, "owners/index.test.js"), tests);
  const io: FakeIo = { ...fakeIo(), cwd: () => folder };
  const state = { verdict: "1 of 1 expectations hold", lines: [] as string[], before: [] as unknown[] };
  const runs = async (_context: unknown, scenario: string, isWatched: boolean) => {
    state.before.push([scenario, isWatched]);
    return async (last: unknown) => {
      state.before.push(last);
      const { verdict, lines } = state;
      return { outcome: { loads: [join(folder, "owners/index.js")] }, lines, verdict, holds: true };
    };
  };
  const context = { io } as unknown as AgentContext;
  const ended = dev(context, "owners", { scenario: "scenario.yaml" }, { runs } as unknown as ScenarioCommands);
  const printed = (): string => io.stdout.text.replaceAll(/ \(\d+\.\d s\)/g, "");
  return { folder, io, state, ended, printed };
}

test("at each save the scenario and the tests run again, and what is as before is one line; Ctrl-C ends it", async () => {
  const { folder, io, state, ended, printed } = await bench(
    "require('node:test')('it', () => { throw new Error('no owner'); });\n",
  );
  await eventually(() => expect(printed()).toMatch(/FAILS tests\n(?: .*\n)*$/));
  const first = printed();
  expect(first).toMatch(/^ok {4}scenario\.yaml: 1 of 1 expectations hold\nFAILS tests\n(?: {2}.*\n)+$/);
  expect(first).toContain("no owner");
  await writeFile(join(folder, "owners/index.js"), "2");
  await eventually(() => expect(printed()).toContain("as before"));
  expect(printed().slice(first.length)).toBe(
    "\nindex.js changed\nok    scenario.yaml: 1 of 1 expectations hold; nothing changed\nFAILS tests: as before\n",
  );
  state.lines = ["pod web: Running"];
  const second = printed();
  await writeFile(join(folder, "owners/index.test.js"), "");
  await eventually(() => expect(printed().slice(second.length)).toContain("ok    tests\n"));
  expect(printed().slice(second.length)).toBe(
    "\nindex.test.js changed\nok    scenario.yaml: 1 of 1 expectations hold\n  pod web: Running\nok    tests\n",
  );
  io.signals.emit("SIGINT");
  expect(await ended).toBe(0);
  expect([io.signals.listenerCount("SIGINT"), io.signals.listenerCount("SIGTERM")]).toEqual([0, 0]);
  const outcome = { loads: [join(folder, "owners/index.js")] };
  expect(state.before).toEqual([[join(folder, "scenario.yaml"), true], undefined, outcome, outcome]);
});
