import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { type Program, posixPrograms } from "../../src/runtime-suite/programs.js";

const programs = posixPrograms("host");

function run(
  program: Program,
  more: { args?: string[]; env?: Record<string, string>; cwd?: string } = {},
): ChildProcess {
  const [file = "", ...words] = [...program.command, ...(more.args ?? [])];
  const { cwd = "/", env = {} } = more;
  return spawn(file, words, { cwd, detached: true, env: { PATH: process.env.PATH ?? "", ...env } });
}

async function outcome(child: ChildProcess): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const text = { stdout: "", stderr: "" };
  child.stdout?.on("data", (data) => {
    text.stdout += data;
  });
  child.stderr?.on("data", (data) => {
    text.stderr += data;
  });
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, ...text };
}

test.each([
  { name: "exits", program: programs.exits(3), code: 3, stdout: "", stderr: "" },
  { name: "prints", program: programs.prints("a $b 'c'"), code: 0, stdout: "a $b 'c'\n", stderr: "" },
  { name: "printsError", program: programs.printsError("oh"), code: 0, stdout: "", stderr: "oh\n" },
  { name: "exitsAfter", program: programs.exitsAfter(50, 4), code: 4, stdout: "", stderr: "" },
  { name: "printsAfter", program: programs.printsAfter(50, "late"), code: 0, stdout: "late\n", stderr: "" },
  { name: "printsEnv", program: programs.printsEnv("COLOUR"), code: 0, stdout: "dark green\n", stderr: "" },
  { name: "printsWorkingDirectory", program: programs.printsWorkingDirectory(), code: 0, stdout: "/etc\n", stderr: "" },
  { name: "readsFile", program: programs.readsFile("/dev/null"), code: 0, stdout: "", stderr: "" },
])("$name does under a real shell what its name promises", async ({ program, ...expected }) => {
  const { name: _, ...result } = expected as { name?: string } & typeof expected;
  expect(await outcome(run(program, { env: { COLOUR: "dark green" }, cwd: "/etc" }))).toEqual(result);
});

test("printsArguments prints added arguments unchanged", async () => {
  const { stdout } = await outcome(run(programs.printsArguments(), { args: ["a b", "", "$(id)"] }));
  expect(stdout).toBe("<a b>\n<>\n<$(id)>\n");
});

test("writesFile writes, and fails where it may not", async () => {
  const directory = await mkdtemp(join(tmpdir(), "hooklet-programs-"));
  expect((await outcome(run(programs.writesFile(join(directory, "file"), "$x\n")))).code).toBe(0);
  expect(await readFile(join(directory, "file"), "utf8")).toBe("$x\n");
  expect((await outcome(run(programs.writesFile(join(directory, "no/such/place"), "x")))).code).not.toBe(0);
  await rm(directory, { recursive: true });
});

test("copiesInput ends with its input", async () => {
  const child = run(programs.copiesInput());
  child.stdin?.end("to and fro");
  expect(await outcome(child)).toMatchObject({ code: 0, stdout: "to and fro" });
});

/** Signals that the process has said what shall become of: `SigCgt` for those that it handles, `SigIgn` for those that it ignores. */
async function hasTerm(child: ChildProcess, field: "SigCgt" | "SigIgn"): Promise<boolean> {
  const [, mask = "0"] =
    new RegExp(`^${field}:\\s+(\\w+)$`, "m").exec(await readFile(`/proc/${child.pid}/status`, "utf8")) ?? [];
  return (BigInt(`0x${mask}`) & (1n << 14n)) !== 0n;
}

/** The children that a shell leaves behind are in its process group; it may have ended before it had any. */
function endGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-(pid ?? Number.NaN), "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

test.each([
  { name: "runsUntilTerm and ignoresTerm", obeying: programs.runsUntilTerm(5), deaf: programs.ignoresTerm(), says: "" },
  {
    name: "listens(5) and listens(ignored), which say when they are ready",
    obeying: programs.listens?.(5),
    deaf: programs.listens?.("ignored"),
    says: "listens\n",
  },
])("at TERM the one ends with its code and the other does not end: $name", async ({ obeying, deaf, says }) => {
  const [obeys, ignores] = [run(obeying as Program), run(deaf as Program)];
  const heard = [obeys, ignores].map((child) => new Promise((resolve) => child.stdout?.once("data", resolve)));
  const outcomes = [outcome(obeys), outcome(ignores)] as const;
  while (!((await hasTerm(obeys, "SigCgt")) && (await hasTerm(ignores, "SigIgn"))))
    await new Promise((resolve) => setTimeout(resolve, 10));
  // What is said comes after the trap.
  if (says !== "") await Promise.all(heard);
  obeys.kill("SIGTERM");
  ignores.kill("SIGTERM");
  expect(await new Promise((resolve) => obeys.on("exit", resolve))).toBe(5);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(ignores.exitCode).toBeNull();
  for (const child of [obeys, ignores]) endGroup(child);
  expect((await Promise.all(outcomes)).map(({ stdout }) => stdout)).toEqual([says, says]);
});
