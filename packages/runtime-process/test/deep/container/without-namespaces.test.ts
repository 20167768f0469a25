import { mkdir } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { alive, TestNode, until } from "../../node.js";

let node: TestNode;
beforeAll(async () => {
  node = await TestNode.start({ namespaces: false, cgroups: false });
});
afterAll(() => node.end());

test("the isolation table lists what is not isolated, and why", async () => {
  const { isolation, details } = await node.runtime.info();
  expect(details).toMatchObject({ mode: "none", why: "the option namespaces is off", cgroups: "none" });
  expect(isolation.find(({ what }) => what === "files")?.isolated).toBe("no");
  expect(isolation.find(({ what }) => what === "cgroups")?.isolated).toBe("no");
});

test("a pod without volumes runs; its termination log and hosts file are left out", async () => {
  const source = join(node.directory, "log");
  await mkdir(source);
  const mounts = [node.mount(source, "/dev/termination-log"), node.mount(source, "/etc/hosts")];
  const status = await node.ended(await node.sh("echo $HOSTNAME; exit 4", { mounts }));
  expect(status).toMatchObject({ exitCode: 4, mounts: [] });
  expect(await node.log(status)).toBe(`${hostname()}\n`);
});

test("a pod with a volume is refused, naming the volume and the reason", async () => {
  const mounts = [node.mount(node.directory, "/data")];
  await expect(node.create(["/bin/true"], { mounts })).rejects.toMatchObject({
    code: "failed-precondition",
    message: "the volume mount /data needs a mount namespace, which this machine refuses: the option namespaces is off",
  });
});

test("limits of a running container cannot be changed, and the error has the reason", async () => {
  const id = await node.run(["/bin/sleep", "300"]);
  await expect(node.runtime.updateContainerResources(id, { cpuShares: 2 })).rejects.toThrow(
    /cgroups cannot be written/,
  );
  const stats = (await node.runtime.listContainerStats()).find((entry) => entry.id === id);
  expect(stats?.memoryWorkingSetBytes).toBeGreaterThan(0);
});

test("a daemon that left the container's session is found by the mark in its environment", async () => {
  const file = join(node.directory, "pid");
  const id = await node.sh(`setsid sh -c 'echo $$ > ${file}; exec sleep 300' & sleep 300`);
  await until("it should run", async () => (await node.runtime.execSync(id, ["test", "-s", file], 5)).exitCode === 0);
  const pid = Number((await node.runtime.execSync(id, ["cat", file], 5)).stdout.toString());
  await node.runtime.stopContainer(id, 0);
  expect(alive(pid)).toBe(false);
});
