import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { securityContext } from "../../../../testkit/src/runtime-suite/configs.js";
import { findHierarchies } from "../../../src/cgroup/hierarchies.js";
import { cgroupsWork } from "../../harness.js";
import { TestNode, until } from "../../node.js";

const withCgroups = cgroupsWork ? test : test.skip;
const hierarchies = findHierarchies(readFileSync("/proc/self/mountinfo", "utf8"));
const has = (name: string) =>
  hierarchies.find(({ version, controllers }) => version === "v2" || controllers.includes(name))?.mountPoint ?? "/";
const v2 = hierarchies[0]?.version === "v2";

let node: TestNode;
beforeAll(async () => {
  node = await TestNode.start();
});
afterAll(() => node.end());

const linux = (resources: object) => ({ resources, securityContext });

withCgroups("limits are written before the program starts, and a change reaches the running container", async () => {
  const id = await node.run(["/bin/sleep", "300"], {
    linux: linux({ cpuShares: 256, memoryLimitInBytes: 64 * 2 ** 20 }),
  });
  const { podUid } = (await recordOf(id)) as { podUid: string };
  const path = `hooklet/pod${podUid}/${id}`;
  const memory = join(has("memory"), path, v2 ? "memory.max" : "memory.limit_in_bytes");
  expect(Number(await readFile(memory, "utf8"))).toBe(64 * 2 ** 20);
  await node.runtime.updateContainerResources(id, { memoryLimitInBytes: 128 * 2 ** 20 });
  expect(Number(await readFile(memory, "utf8"))).toBe(128 * 2 ** 20);
  const { main } = await node.pids(id);
  expect(await readFile(`/proc/${main}/cgroup`, "utf8")).toContain(`/${path}`);
  const stats = (await node.runtime.listContainerStats()).find((entry) => entry.id === id);
  expect(stats?.memoryWorkingSetBytes).toBeGreaterThan(0);
  await node.runtime.removeContainer(id);
  expect(existsSync(join(has("memory"), path))).toBe(false);
});

/** What the kernel has of a container: memory, memory with swap (v1, where the kernel limits it), microseconds of cpu. */
async function limitsOf(id: string): Promise<readonly (number | undefined)[]> {
  const { podUid } = (await recordOf(id)) as { podUid: string };
  const read = async (controller: string, file: string): Promise<number | undefined> => {
    const path = join(has(controller), `hooklet/pod${podUid}/${id}`, file);
    return existsSync(path) ? Number((await readFile(path, "utf8")).split(" ")[0]) : undefined;
  };
  return Promise.all([
    read("memory", v2 ? "memory.max" : "memory.limit_in_bytes"),
    read("memory", "memory.memsw.limit_in_bytes"),
    read("cpu", v2 ? "cpu.max" : "cpu.cfs_quota_us"),
  ]);
}
const MIB = 2 ** 20;
const limitsSwap = !v2 && existsSync(join(has("memory"), "memory.memsw.limit_in_bytes"));
const amounts = (mebibytes: number, cpuQuota: number) => ({
  memoryLimitInBytes: mebibytes * MIB,
  ...(limitsSwap && { memorySwapLimitInBytes: mebibytes * MIB }),
  cpuPeriod: 100_000,
  cpuQuota,
});

withCgroups("memory and cpu of a running container grow and shrink, with the limit of its swap", async () => {
  const id = await node.run(["/bin/sleep", "300"], { linux: linux(amounts(64, 50_000)) });
  for (const [mebibytes, quota] of [
    [128, 100_000],
    [32, 20_000],
    [256, 30_000],
  ] as const) {
    await node.runtime.updateContainerResources(id, amounts(mebibytes, quota));
    expect(await limitsOf(id)).toEqual([mebibytes * MIB, limitsSwap ? mebibytes * MIB : undefined, quota]);
  }
  await node.runtime.removeContainer(id);
});

withCgroups("a change of which the kernel refuses a part changes nothing", async () => {
  const id = await node.run(["/bin/sleep", "300"], { linux: linux(amounts(64, 50_000)) });
  const before = await limitsOf(id);
  const change = { ...amounts(128, 80_000), cpusetCpus: "4095" };
  await expect(node.runtime.updateContainerResources(id, change)).rejects.toMatchObject({
    code: expect.any(String) as unknown,
  });
  expect(await limitsOf(id)).toEqual(before);
  await node.runtime.removeContainer(id);
});

withCgroups(
  "a container that outgrows its memory ends with 137 and reason OOMKilled, also for the next agent",
  async () => {
    // tail keeps the whole of its input, which has no line feed.
    const id = await node.sh("exec tail /dev/zero", {
      linux: linux({ memoryLimitInBytes: 16 * 2 ** 20, memorySwapLimitInBytes: 16 * 2 ** 20 }),
    });
    const status = await node.ended(id);
    expect(status).toMatchObject({ exitCode: 137, reason: "OOMKilled" });
    await node.newAgent();
    expect(await node.runtime.containerStatus(id)).toEqual(status);
  },
);

withCgroups("a limit that the kernel refuses fails the start and names file and value", async () => {
  const id = await node.create(["/bin/true"], { linux: linux({ cpuPeriod: 7 }) });
  await expect(node.runtime.startContainer(id)).rejects.toThrow(/cannot set .*cpu.* to .*7/);
  expect((await node.runtime.containerStatus(id)).reason).toBe("StartError");
});

withCgroups("a fork bomb is gone after a stop", async () => {
  const id = await node.sh("b() { b & b & sleep 0.05; }; while :; do b; done 2>/dev/null", {
    linux: linux({ memoryLimitInBytes: 32 * 2 ** 20 }),
  });
  const procs = join(
    has("pids"),
    `hooklet/pod${((await recordOf(id)) as { podUid: string }).podUid}`,
    id,
    "cgroup.procs",
  );
  await until("it should have forked", async () => (await readFile(procs, "utf8")).split("\n").length > 20);
  await node.runtime.stopContainer(id, 0);
  expect(await readFile(procs, "utf8")).toBe("");
});

withCgroups("folders that were made for a pod are gone with its sandbox", async () => {
  const sandbox = await node.sandbox();
  const { metadata } = await node.runtime.sandboxStatus(sandbox);
  const id = await node.create(["/bin/true"], {}, sandbox);
  await node.runtime.startContainer(id);
  const folder = join(has("memory"), `hooklet/pod${metadata.uid}`);
  expect(existsSync(folder)).toBe(true);
  await node.runtime.removeSandbox(sandbox);
  expect(existsSync(folder)).toBe(false);
});

async function recordOf(id: string): Promise<unknown> {
  const text = await readFile(join(node.folder(id), "state"), "utf8");
  return JSON.parse(text.slice(text.indexOf("\n")));
}
