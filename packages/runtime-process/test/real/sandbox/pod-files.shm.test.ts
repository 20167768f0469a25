/** /dev/shm of a pod, on real mounts. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { securityContext } from "../../../../testkit/src/runtime-suite/configs.js";
import { cgroupsWork, isRoot } from "../../harness.js";
import { TestNode } from "../../node.js";

let node: TestNode;
beforeAll(async () => {
  node = await TestNode.start();
});
afterAll(() => node.end());

const asRoot = isRoot ? test : test.skip;
const shmOf = (sandbox: string): string => join(node.directory, "runtime-process", "sandboxes", sandbox, "shm");
const mounted = (path: string): boolean => readFileSync("/proc/self/mountinfo", "utf8").includes(` ${path} `);

test("it holds 64 MiB and no more, and none of them is on the node's disk", async () => {
  const out = await node.output(
    "dd if=/dev/zero of=/dev/shm/big bs=1M count=65 2>&1 | grep -o 'No space left.*'; stat -fc %T /dev/shm; stat -c %s /dev/shm/big",
  );
  expect(out).toBe("No space left on device\ntmpfs\n67108864\n");
});

asRoot("the containers of a pod share it, across a restart of the agent; other pods have their own", async () => {
  const sandbox = await node.sandbox();
  const start = async (name: string, script: string): Promise<string> => {
    const id = await node.create(["/bin/sh", "-c", script], { metadata: { name, attempt: 0 } }, sandbox);
    await node.runtime.startContainer(id);
    return id;
  };
  await node.ended(await start("a", "echo shared > /dev/shm/note"));
  await node.newAgent();
  expect(await node.log(await node.ended(await start("b", "cat /dev/shm/note")))).toBe("shared\n");
  expect(await node.output("ls /dev/shm")).toBe("");
  expect(mounted(shmOf(sandbox))).toBe(true);
  await node.runtime.removeSandbox(sandbox);
  expect(mounted(shmOf(sandbox))).toBe(false);
  expect(() => statSync(join(shmOf(sandbox), ".."))).toThrow("ENOENT");
});

(cgroupsWork ? test : test.skip)("what is in it counts as memory of the container that wrote it", async () => {
  const linux = { resources: { memoryLimitInBytes: 32 * 1024 * 1024 }, securityContext };
  const id = await node.sh("dd if=/dev/zero of=/dev/shm/big bs=1M count=60", { linux });
  const { exitCode, reason } = await node.ended(id);
  expect([exitCode === 0, reason]).toEqual([false, "OOMKilled"]);
});
