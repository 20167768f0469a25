/** Which processes are a container's where no cgroup holds them together. They are only looked for here: no signal goes to what is found. */
import { type ChildProcess, spawn } from "node:child_process";
import { identify, type ProcessIdentity } from "@hooklet/linux";
import { afterEach, expect, test } from "@jest/globals";
import { findByCommand, findMembers, MARK, namespaceOf, readCommandLine } from "../../../src/proc/members.js";
import { until } from "../../node.js";

const ID = "a".repeat(64);

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

/** In a session of its own. */
function process_(env: Record<string, string> = {}, command = ["sleep", "60"]): ProcessIdentity {
  const [file = "", ...args] = command;
  const child = spawn(file, args, { detached: true, stdio: "ignore", env: { PATH: process.env.PATH, ...env } });
  children.push(child);
  const found = identify(child.pid ?? 0);
  if (found === undefined) throw new Error("it has gone");
  return found;
}

const pidsOf = (traits: Parameters<typeof findMembers>[0]) => findMembers(traits).map(({ pid }) => pid);
const started = (pid: number, env: string) => until("it should run", () => readCommandLine(pid).startsWith(env));
/** One that runs sleep: its environment is its own by then. */
async function sleeper(env: Record<string, string> = {}): Promise<ProcessIdentity> {
  const found = process_(env);
  await started(found.pid, "sleep");
  return found;
}

test("those of its session are its own, and no others", async () => {
  const main = await sleeper();
  const other = await sleeper();
  expect(findMembers({ id: ID, main })).toEqual([main]);
  expect(pidsOf({ id: ID, main: other })).toEqual([other.pid]);
});

test("once its first process has gone, the others of its session still are", async () => {
  const main = process_({}, ["sh", "-c", "sleep 60 & exit 0"]);
  try {
    await until("the first should go", () => identify(main.pid) === undefined);
    expect(pidsOf({ id: ID, main })).toHaveLength(1);
  } finally {
    // The group that this test has started, and not what was found.
    process.kill(-main.pid, "SIGKILL");
  }
});

test("a session whose number another process has got since is none of its own", async () => {
  const { pid, startTicks } = await sleeper();
  expect(pidsOf({ id: ID, main: { pid, startTicks: String(BigInt(startTicks) - 1n) } })).not.toContain(pid);
});

test("one that has left the session has the container's mark; one with another's mark is not its own", async () => {
  const main = await sleeper();
  const own = await sleeper({ [MARK]: ID });
  const other = await sleeper({ [MARK]: "b".repeat(64), [`${MARK}S`]: ID });
  const found = pidsOf({ id: ID, main });
  expect(found).toContain(own.pid);
  expect(found).not.toContain(other.pid);
  const namespace = namespaceOf(process.pid) ?? "";
  expect(namespace).toMatch(/^mnt:\[\d+\]$/);
  expect(pidsOf({ id: ID, main, namespace })).not.toContain(other.pid);
});

test("one without a mark is its own in the container's mount namespace", async () => {
  const main = await sleeper();
  const other = await sleeper();
  expect(pidsOf({ id: ID, main, namespace: namespaceOf(process.pid) ?? "" })).toContain(other.pid);
  expect(pidsOf({ id: ID, main, namespace: "mnt:[1]" })).not.toContain(other.pid);
});

test("what ran before its first process is not its own, whatever its mark", async () => {
  const older = await sleeper({ [MARK]: ID });
  const main = await sleeper();
  const later = { pid: main.pid, startTicks: String(BigInt(older.startTicks) + 1n) };
  expect(pidsOf({ id: ID, main: later })).not.toContain(older.pid);
  expect(pidsOf({ id: ID, main: { pid: main.pid, startTicks: older.startTicks } })).toContain(older.pid);
});

test("the agent itself is never found", () => {
  const own = identify(process.pid) ?? { pid: 0, startTicks: "" };
  expect(pidsOf({ id: ID, main: own, namespace: namespaceOf(process.pid) ?? "" })).not.toContain(process.pid);
  const [word = ""] = readCommandLine(process.pid).split("\0");
  expect(findByCommand(word).map(({ pid }) => pid)).not.toContain(process.pid);
});

test("processes of a set-up are found by the folder that their command line names", async () => {
  const folder = `/hooklet-members-${process.pid}/one`;
  const found = process_({}, ["tail", "-F", folder]);
  const other = process_({}, ["tail", "-F", `${folder.slice(0, -1)}_`]);
  for (const { pid } of [found, other]) await started(pid, "tail");
  expect(findByCommand(folder)).toEqual([found]);
});

test("a process that has gone has no command line, and no namespace", async () => {
  const { pid } = process_({}, ["true"]);
  await until("it should go", () => identify(pid) === undefined);
  expect([readCommandLine(pid), namespaceOf(pid)]).toEqual(["", undefined]);
});
