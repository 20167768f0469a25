/** What the containers of a pod share, damaged while no agent runs. */
import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { isRoot } from "../../harness.js";
import { TestNode } from "../../node.js";

let node: TestNode;
beforeEach(async () => {
  node = await TestNode.start();
});
afterEach(() => node.end());

async function sandboxFolder(): Promise<string> {
  const folder = join(node.directory, "runtime-process", "sandboxes");
  const [id = ""] = await readdir(folder);
  return join(folder, id);
}

test.each([
  ["is gone", () => {}],
  ["is a folder", (file: string) => mkdirSync(join(file, "in the way"), { recursive: true })],
  ["is a FIFO", (file: string) => void execFileSync("mkfifo", [file])],
  ["is a link to a file of others", (file: string) => symlinkSync("/etc/passwd", file)],
])("a pod of which each shared file %s starts containers: it is created again, and reported", async (_name, put) => {
  const id = await node.create(["/bin/sleep", "300"]);
  const folder = await sandboxFolder();
  if (isRoot) execFileSync("umount", [join(folder, "shm")]);
  for (const name of ["hostname", "resolv.conf", "shm"]) {
    rmSync(join(folder, name), { recursive: true });
    put(join(folder, name));
  }
  await node.newAgent();
  await node.runtime.startContainer(id);
  expect((await node.runtime.containerStatus(id)).state).toBe("CONTAINER_RUNNING");
  expect(lstatSync(join(folder, "hostname")).isFile()).toBe(true);
  expect(node.said.join("\n")).toContain(`${join(folder, "resolv.conf")} was gone or damaged; hooklet restored it`);
});

test("what a container wrote into a shared file stays", async () => {
  await node.create(["/bin/sleep", "300"]);
  const file = join(await sandboxFolder(), "resolv.conf");
  writeFileSync(file, "nameserver 192.0.2.1\n");
  await node.newAgent();
  expect(readFileSync(file, "utf8")).toBe("nameserver 192.0.2.1\n");
});
