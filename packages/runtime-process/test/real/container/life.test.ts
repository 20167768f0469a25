import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { containerConfig, sandboxConfig } from "../../../../testkit/src/runtime-suite/configs.js";
import { findByCommand } from "../../../src/proc/members.js";
import { isRoot } from "../../harness.js";
import { TestNode, until } from "../../node.js";

let node: TestNode;
beforeAll(async () => {
  node = await TestNode.start();
});
afterAll(() => node.end());

const asRoot = isRoot ? test : test.skip;

test.each([
  ["SIGKILL", "kill -KILL $$", 137],
  ["SIGSEGV", "kill -SEGV $$", 139],
  ["SIGTERM to itself", "kill -TERM $$", 143],
])("death by %s is 128 + the signal's number", async (_name, script, code) => {
  expect(await node.ended(await node.sh(script))).toMatchObject({ exitCode: code, reason: "Error" });
});

test("a container leads its own session and process group", async () => {
  const id = await node.run(["/bin/sleep", "60"]);
  const { main, shim } = await node.pids(id);
  const fields = (await readFile(`/proc/${main}/stat`, "latin1")).split(") ")[1]?.split(" ") ?? [];
  expect(fields.slice(1, 4)).toEqual([String(shim), String(main), String(main)]);
  await node.runtime.stopContainer(id, 0);
});

/** A number of seconds that no other process sleeps: by it a process of a container is found from outside. */
function ownSeconds(): string {
  return String(1_000_000 + Math.floor(Math.random() * 1_000_000));
}

test("what a container leaves behind when it ends by itself is killed", async () => {
  const seconds = ownSeconds();
  const script = `setsid sh -c 'echo > /dev/shm/left; exec sleep ${seconds}' & while ! test -e /dev/shm/left; do sleep 0.02; done`;
  await node.ended(await node.sh(script));
  await until("what was left should be gone", () => findByCommand(seconds).length === 0);
});

test("a daemon that left its session and cleared its environment is gone after a stop", async () => {
  const seconds = ownSeconds();
  const id = await node.sh(`setsid env -i /bin/sh -c 'exec sleep ${seconds}' & sleep 300`);
  const daemon = () => findByCommand(`sleep\0${seconds}`);
  await until("the daemon should run", () => daemon().length > 0);
  await node.runtime.stopContainer(id, 1);
  // The last one of a mount namespace may still be unmounting, on its way out.
  await until("the daemon should be gone", () => daemon().length === 0);
});

describe("environment", () => {
  test("names that no shell can export arrive too", async () => {
    const envs = [
      { key: "my.dotted-name", value: "1 2" },
      { key: "IFS", value: ":" },
      { key: "__hooklet_line", value: "mine" },
    ];
    const lines = (await node.log(await node.ended(await node.run(["env"], { envs })))).split("\n");
    expect(lines).toEqual(expect.arrayContaining(["my.dotted-name=1 2", "IFS=:", "__hooklet_line=mine"]));
  });

  test("LD_PRELOAD reaches the container's program and none of the tools that set it up", async () => {
    const evil = join(node.directory, "evil.so");
    await writeFile(evil, "no library");
    const status = await node.ended(await node.run(["/bin/true"], { envs: [{ key: "LD_PRELOAD", value: evil }] }));
    const log = await node.log(status);
    expect(log.match(/cannot be preloaded/g)).toHaveLength(1);
    expect(status.exitCode).toBe(0);
  });
});

describe("a command that cannot be started", () => {
  test.each([
    ["not in PATH", ["no-such-thing"], 'exec: "no-such-thing": executable file not found in $PATH'],
    ["no such file", ["/no/such"], 'exec: "/no/such": stat /no/such: no such file or directory'],
    ["a directory", ["/etc"], 'exec: "/etc": is a directory'],
    ["not executable", ["/etc/passwd"], 'exec: "/etc/passwd": permission denied'],
  ])("%s: StartError 128 in runc's words", async (_name, command, message) => {
    const id = await node.create(command);
    await expect(node.runtime.startContainer(id)).rejects.toMatchObject({ code: "start-error", message });
    expect(await node.runtime.containerStatus(id)).toMatchObject({ exitCode: 128, reason: "StartError", message });
  });

  test("a script whose interpreter is missing is a StartError, though the file is there", async () => {
    const data = join(node.directory, "script");
    await mkdir(data);
    await writeFile(join(data, "run"), "#!/no/such/interpreter\n", { mode: 0o755 });
    const id = await node.create(["/data/run"], { mounts: [node.mount(data, "/data")] });
    await expect(node.runtime.startContainer(id)).rejects.toMatchObject({
      code: "start-error",
      message: 'exec: "/data/run": no such file or directory',
    });
    expect(await node.runtime.containerStatus(id)).toMatchObject({ exitCode: 128, reason: "StartError" });
  });

  test("a program that itself ends with 127 and prints nothing is no StartError", async () => {
    expect(await node.ended(await node.sh("exit 127"))).toMatchObject({ exitCode: 127, reason: "Error" });
  });

  test("a program in a mounted volume is found", async () => {
    const data = join(node.directory, "tools");
    await mkdir(data);
    await writeFile(join(data, "tool"), "#!/bin/sh\nexit 9\n", { mode: 0o755 });
    const envs = [{ key: "PATH", value: "/tools:/usr/bin:/bin" }];
    const id = await node.run(["tool"], { envs, mounts: [node.mount(data, "/tools")] });
    expect((await node.ended(id)).exitCode).toBe(9);
  });
});

describe("what is not supported is refused by name", () => {
  test.each([
    ["tty", { tty: true }, /tty/],
    ["a log path out of the pod's directory", { logPath: "../../etc/x" }, /logPath/],
    ["a NUL in the environment", { envs: [{ key: "A", value: "a\0b" }] }, /environment variable "A"/],
    ["a relative working directory", { workingDir: "etc" }, /workingDir/],
  ])("%s", async (_name, changes, message) => {
    await expect(node.create(["/bin/true"], changes)).rejects.toMatchObject({
      name: "RuntimeError",
      message: expect.stringMatching(message) as unknown,
    });
  });

  test("an image without a command and a container without one", async () => {
    await expect(node.create([])).rejects.toMatchObject({ code: "invalid-argument", message: /no command specified/ });
  });
});

asRoot("a missing working directory is made", async () => {
  expect(await node.output("pwd -P", { workingDir: "/srv/new/deep" })).toBe("/srv/new/deep\n");
});

asRoot("a command in a container has the container's oom score, not the agent's", async () => {
  const { linux } = containerConfig({ image: "host", command: [] }, "host", sandboxConfig(node.directory, 0), {});
  const id = await node.sh("sleep 60", { linux: { ...linux, resources: { oomScoreAdj: 987 } } });
  const { stdout, stderr } = await node.runtime.execSync(id, ["/bin/cat", "/proc/self/oom_score_adj"], 10);
  expect([String(stdout), String(stderr)]).toEqual(["987\n", ""]);
  await node.runtime.stopContainer(id, 0);
});

asRoot("without an oom score of its own a container has the kernel's, not the agent's", async () => {
  const own = "/proc/self/oom_score_adj";
  const before = await readFile(own, "utf8");
  await writeFile(own, "300");
  try {
    await node.newAgent();
    const id = await node.sh("cat /proc/self/oom_score_adj; sleep 60");
    const { stdout } = await node.runtime.execSync(id, ["/bin/cat", own], 10);
    const status = await node.runtime.containerStatus(id);
    await until("it should have written", async () => (await node.log(status)) !== "");
    expect([await node.log(status), String(stdout)]).toEqual(["0\n", "0\n"]);
    await node.runtime.stopContainer(id, 0);
  } finally {
    await writeFile(own, before);
  }
});
