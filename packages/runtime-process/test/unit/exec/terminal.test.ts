/** When a command on a terminal begins, and which sizes reach its terminal. script(1) and stty(1) are shell scripts here that keep what they get. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { identify } from "@hooklet/linux";
import { VirtualClock } from "@hooklet/testkit";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { securityContext } from "../../../../testkit/src/runtime-suite/configs.js";
import type { Container } from "../../../src/container/container.js";
import type { Deps } from "../../../src/deps.js";
import { type OnTerminal, startOnTerminal } from "../../../src/exec/terminal.js";
import { recordingLog } from "../../harness.js";
import { until } from "../../node.js";

const TERMINAL = `echo /dev/pts/7 >&3; read -r line <&3; echo "$line"`;

let folder: string;
let clock: VirtualClock;
let said: string[];
let started: OnTerminal | undefined;
let shown = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hooklet-terminal-"));
  clock = new VirtualClock();
  said = [];
  shown = "";
});
afterEach(async () => {
  writeFileSync(join(folder, "go"), "");
  started?.child.begin();
  await started?.child.exited;
  started = undefined;
  rmSync(folder, { recursive: true, force: true });
});

function program(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o700);
  return file;
}

/** @param parts what script(1) and stty(1) do */
async function start({ script = TERMINAL, stty = "" } = {}): Promise<OnTerminal> {
  const sizes = join(folder, "sizes");
  const terminalTools = {
    script: program("script", script),
    stty: program("stty", `echo "$@" >>${sizes}\n${stty}`),
    tty: "/tty",
  };
  const tools = { sh: "/bin/sh", perl: "perl", setpriv: "setpriv" };
  const roots = { checkCommandIn: async () => undefined };
  const deps = {
    clock,
    log: recordingLog(said),
    terminalTools,
    tools,
    scripts: { exec: "/exec", enter: "/enter" },
    roots,
  };
  const container = {
    id: "a",
    life: { kind: "running", processes: { main: identify(process.pid) } },
    record: {
      mode: "none",
      launch: { argv: ["x"], env: [], workingDir: "/", user: { uid: 0, gid: 0, groups: [] } },
      config: { linux: { resources: {}, securityContext } },
    },
    folder,
    files: { launch: join(folder, "launch") },
  };
  started = await startOnTerminal(deps as unknown as Deps, container as unknown as Container, ["ls", "-l"], undefined);
  started.child.stdout.on("data", (data: Buffer) => {
    shown += data.toString();
  });
  await started.child.terminal;
  return started;
}

/** A stty(1) that waits for the file `go`; it ends with its folder as well. */
const untilItMay = () => `while test -d ${folder} && ! test -e ${join(folder, "go")}; do sleep 0.01; done`;

const sizes = (): string[] => {
  const file = join(folder, "sizes");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
};
const begun = (): boolean => shown === "go\n";

test("where script(1) or stty(1) is missing the error tells what to install, or to do without a terminal", async () => {
  const deps = { terminalTools: undefined } as unknown as Deps;
  await expect(startOnTerminal(deps, {} as Container, ["ls"], undefined)).rejects.toMatchObject({
    code: "unimplemented",
    message:
      "terminals need script(1) of util-linux, stty and tty of coreutils on the machine: install them, or run the command without -t",
  });
});

test("script(1) gets the command in its environment, each word in a variable, and no size as an argument", async () => {
  await start({ script: `env | grep ^__hooklet_word | sort; echo "$SHELL $__hooklet_tty"; ${TERMINAL}` });
  await until("it should show all", () => shown.includes("/tty"));
  const words = [
    "/bin/sh",
    "/exec",
    folder,
    "0",
    "perl",
    "-f",
    "/enter",
    "2",
    "",
    "",
    join(folder, "launch"),
    "ls",
    "-l",
  ];
  const variables = words.map((word, at) => `__hooklet_word_${at}=${word}`);
  expect(shown.split("\n").filter(Boolean)).toEqual([
    ...[...variables, `__hooklet_words=${words.length}`].sort(),
    "/bin/sh /tty",
  ]);
});

describe("a command begins", () => {
  test("once its terminal has the reader's size", async () => {
    const { resize } = await start({ stty: untilItMay() });
    resize(80, 24);
    await until("the size should be set", () => sizes().length === 1);
    await clock.advance(9_999);
    expect(begun()).toBe(false);
    writeFileSync(join(folder, "go"), "");
    await until("it should begin", begun);
    expect(sizes()).toEqual(["-F /dev/pts/7 cols 80 rows 24"]);
  });

  test("after one second where its reader sends none", async () => {
    await start();
    await clock.advance(999);
    expect(clock.pending).toBe(2);
    await clock.advance(1);
    await until("it should begin", begun);
    expect(sizes()).toEqual([]);
  });

  test("after ten seconds, however long stty(1) takes", async () => {
    const { resize } = await start({ stty: untilItMay() });
    resize(80, 24);
    await clock.advance(10_000);
    await until("it should begin", begun);
  });

  test("where its size cannot be set, and the log tells why", async () => {
    const { resize } = await start({ stty: "echo no such terminal >&2; exit 1" });
    resize(80, 24);
    await until("it should begin", begun);
    expect(said).toEqual(["the size of terminal /dev/pts/7 was not set: no such terminal"]);
  });
});

test.each([
  [0, 24],
  [80, 0],
  [-1, 24],
  [80, 10_001],
  [1.5, 24],
  [Number.NaN, 24],
])("%d columns and %d rows are no size: as if the reader had sent none", async (columns, rows) => {
  const { resize } = await start();
  resize(columns, rows);
  await clock.advance(1_000);
  await until("it should begin", begun);
  expect(sizes()).toEqual([]);
});

test("the smallest and the largest size are set", async () => {
  const { resize } = await start();
  resize(1, 10_000);
  await until("it should begin", begun);
  expect(sizes()).toEqual(["-F /dev/pts/7 cols 1 rows 10000"]);
});

test("sizes are set one after the other; of those that come meanwhile only the last counts", async () => {
  const { resize } = await start({ stty: untilItMay() });
  resize(80, 24);
  await until("the first should be under way", () => sizes().length === 1);
  for (const columns of [90, 100, 110]) resize(columns, 24);
  writeFileSync(join(folder, "go"), "");
  await until("the last should be set", () => sizes().length > 1);
  await until("it should begin", begun);
  expect(sizes()).toEqual(["-F /dev/pts/7 cols 80 rows 24", "-F /dev/pts/7 cols 110 rows 24"]);
  resize(120, 30);
  await until("a later one should be set as well", () => sizes().length === 3);
});

test("a program that ended before it had a terminal has no size to set", async () => {
  const { resize, child } = await start({ script: "exit 3" });
  resize(80, 24);
  expect(await child.exited).toBe(3);
  expect([sizes(), said]).toEqual([[], []]);
});
