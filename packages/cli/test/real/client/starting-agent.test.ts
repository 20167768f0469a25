/** A command right behind `hooklet run`: the agent has no socket yet, and is waited for. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, realpath, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "@hooklet/utils";
import { afterEach, expect, test } from "@jest/globals";
import { temporaryFolder } from "../../../../server/test/start.js";
import { AgentClient } from "../../../src/client/agent-client.js";
import { isAboutToListen, namedSocket, runOptions } from "../../../src/client/starting-agent.js";

/** Listens on command; until then it is an agent that loads its modules. */
const SLOW_AGENT = `
const { createServer } = require("node:http");
process.stdin.once("data", () => {
  createServer((_, answer) => answer.end('{"version":"1","nodeName":"here"}')).listen(process.argv[4] + "/hooklet.sock");
});
`;

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

async function slowAgent(): Promise<{ readonly socket: string; readonly agent: ChildProcess }> {
  const folder = await realpath(await temporaryFolder());
  const program = join(folder, "hooklet.js");
  await writeFile(join(folder, "package.json"), '{ "type": "commonjs" }');
  await writeFile(program, SLOW_AGENT);
  const agent = spawn(process.execPath, [program, "run", "--root-dir", folder], {
    stdio: ["pipe", "ignore", "inherit"],
  });
  started.push(agent);
  return { socket: join(folder, "hooklet.sock"), agent };
}

test("an agent that has no socket yet is waited for, and the user is informed once", async () => {
  const { socket, agent } = await slowAgent();
  let reported = 0;
  const client = new AgentClient(socket, {
    clock: systemClock,
    isAboutToListen: () => isAboutToListen({ path: socket, isDefault: false }),
    waits: () => {
      reported += 1;
      agent.stdin?.write("listen\n");
    },
  });
  expect(await client.version()).toEqual({ version: "1", nodeName: "here" });
  expect(reported).toBe(1);
  await client.close();
});

test("one that ends before it listens is an error at once, and so is one that listens elsewhere", async () => {
  const { socket, agent } = await slowAgent();
  const elsewhere = { path: join(socket, "../other/hooklet.sock"), isDefault: false };
  expect(await isAboutToListen({ path: socket, isDefault: false })).toBe(true);
  expect(await isAboutToListen(elsewhere)).toBe(false);
  const client = new AgentClient(socket, {
    clock: systemClock,
    isAboutToListen: () => isAboutToListen({ path: socket, isDefault: false }),
    waits: () => void agent.kill("SIGKILL"),
  });
  await expect(client.version()).rejects.toMatchObject({ code: "AGENT_NOT_RUNNING" });
  await client.close();
});

test("one that was started long ago does not start any more", async () => {
  const proc = await temporaryFolder();
  const stat = (ticks: number): string => `7 (a ) b) S ${"1 ".repeat(18)}${ticks} 0`;
  await mkdir(join(proc, "7"));
  await writeFile(join(proc, "uptime"), "1000.00 1.00\n");
  await writeFile(join(proc, "7/cmdline"), "node\0/usr/bin/hooklet\0run\0--socket=/run/h.sock\0");
  await symlink("/", join(proc, "7/cwd"));
  const wanted = { path: "/run/h.sock", isDefault: false };
  await writeFile(join(proc, "7/stat"), stat(97_500));
  expect(await isAboutToListen(wanted, proc)).toBe(true);
  await writeFile(join(proc, "7/stat"), stat(96_500));
  expect(await isAboutToListen(wanted, proc)).toBe(false);
  await writeFile(join(proc, "7/stat"), "");
  expect(await isAboutToListen(wanted, proc)).toBe(false);
});

test.each<{ name: string; words: readonly string[]; socket: string | undefined | false }>([
  { name: "as the shell starts it", words: ["node", "--x=8", "/usr/bin/hooklet", "run"], socket: undefined },
  { name: "with a root directory", words: ["hooklet", "run", "--root-dir", "/d"], socket: "/d/hooklet.sock" },
  { name: "with options before the command", words: ["hooklet", "--root-dir=d", "run"], socket: "d/hooklet.sock" },
  { name: "with a socket", words: ["hooklet", "run", "--root-dir", "/d", "--socket", "s"], socket: "s" },
  { name: "another command", words: ["hooklet", "get", "pods"], socket: false },
  { name: "a root directory named run", words: ["hooklet", "--root-dir", "run", "get"], socket: false },
  { name: "a shell that is about to start it", words: ["sh", "-c", "hooklet run"], socket: false },
  { name: "an editor", words: ["vi", "run"], socket: false },
])("$name: which socket it is to have", ({ words, socket }) => {
  const options = runOptions(words);
  expect(options === undefined ? false : namedSocket(options)).toBe(socket);
});
