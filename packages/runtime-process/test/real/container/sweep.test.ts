/** A set-up belongs to its pod: what it costs counts there, and it ends with it. On real containers. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { findByCommand } from "../../../src/proc/members.js";
import { cgroupsWork } from "../../harness.js";
import { TestNode, until } from "../../node.js";

let node: TestNode;
beforeAll(async () => {
  node = await TestNode.start();
});
afterAll(() => node.end());

/** A container whose set-up stands still: what its tools would write to has no reader. */
async function stuck(sandbox: string): Promise<{ readonly id: string; readonly start: Promise<unknown> }> {
  const id = await node.create(["/bin/sleep", "300"], {}, sandbox);
  execFileSync("mkfifo", [join(node.folder(id), "setup")]);
  const start = node.runtime.startContainer(id).then(
    () => undefined,
    (error: unknown) => error,
  );
  await until("the set-up should begin", () => findByCommand(node.folder(id)).length > 1);
  return { id, start };
}

test("a container that is stopped during its set-up leaves no process, and its start fails with that", async () => {
  const { id, start } = await stuck(await node.sandbox());
  await node.runtime.stopContainer(id, 30);
  expect(findByCommand(node.folder(id))).toEqual([]);
  expect(await start).toMatchObject({ code: "start-error", message: "the container was stopped while it was set up" });
  expect(await node.runtime.containerStatus(id)).toMatchObject({ exitCode: 128, reason: "StartError" });
});

test("a pod that is removed while a container is set up leaves neither processes nor folders", async () => {
  const sandbox = await node.sandbox();
  const { id, start } = await stuck(sandbox);
  await node.runtime.stopSandbox(sandbox);
  await node.runtime.removeSandbox(sandbox);
  expect(await start).toMatchObject({ code: "start-error" });
  expect(findByCommand(node.folder(id))).toEqual([]);
  expect(await node.runtime.listContainers({ sandboxId: sandbox })).toEqual([]);
});

test("a container that waits for its turn to be set up and is stopped is never started", async () => {
  const busy = await TestNode.start({ parallelStarts: 1 });
  try {
    const first = await busy.create(["/bin/sleep", "300"]);
    execFileSync("mkfifo", [join(busy.folder(first), "setup")]);
    const starts = [busy.runtime.startContainer(first)];
    const second = await busy.create(["/bin/sleep", "300"]);
    starts.push(busy.runtime.startContainer(second));
    const stops = [busy.runtime.stopContainer(second, 0), busy.runtime.stopContainer(first, 0)];
    expect((await Promise.allSettled(starts)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await Promise.all(stops);
    expect(findByCommand(busy.folder(second))).toEqual([]);
  } finally {
    await busy.end();
  }
});

test("a command may have many words with line feeds: the set-up does not parse them", async () => {
  const words = [...Array.from({ length: 1000 }, () => "x"), "\n".repeat(20_000)];
  const id = await node.run(["/bin/sh", "-c", 'echo $#; shift 1000; printf %s "$1" | wc -l', "sh", ...words]);
  expect(await node.log(await node.ended(id))).toBe("1001\n20000\n");
});

(cgroupsWork ? test : test.skip)("the shim is in the pod's cgroup, which goes with the pod", async () => {
  const sandbox = await node.sandbox();
  const id = await node.create(["/bin/sleep", "300"], {}, sandbox);
  await node.runtime.startContainer(id);
  const { main, shim } = await node.pids(id);
  const cgroupsOf = (pid: number): string[] => {
    const lines = readFileSync(`/proc/${pid}/cgroup`, "utf8").split("\n");
    return [...new Set(lines.map((line) => line.split(":")[2] ?? "").filter((path) => path.includes("/pod")))];
  };
  const [own] = cgroupsOf(main);
  expect(cgroupsOf(shim)).toEqual([own?.replace(id, sandbox)]);
  const path = join("/sys/fs/cgroup/memory", own ?? "", "..");
  await node.runtime.removeSandbox(sandbox);
  expect(() => readFileSync(join(path, "cgroup.procs"))).toThrow("ENOENT");
});
