import { describe, expect, test } from "@jest/globals";
import { VirtualClock } from "../../../src/clock/virtual-clock.js";
import { SimulatedHost } from "../../../src/machine/simulated-host.js";

const make = (options: Partial<ConstructorParameters<typeof SimulatedHost>[0]> = {}) => {
  const clock = new VirtualClock();
  return { clock, host: new SimulatedHost({ clock, ...options }) };
};

describe("kernel files", () => {
  test("a new cgroup has its controller's files, and the kernel rounds what is written", () => {
    const { host } = make();
    const { kernel } = host;
    expect(kernel.makeDirectory("/sys/fs/cgroup/kubepods")).toBe(true);
    expect(kernel.makeDirectory("/sys/fs/cgroup/kubepods")).toBe(false);
    kernel.write("/sys/fs/cgroup/kubepods/memory.max", "10000");
    expect(kernel.read("/sys/fs/cgroup/kubepods/memory.max")).toBe("8192");
    expect(kernel.writes).toEqual(["/sys/fs/cgroup/kubepods/memory.max=10000"]);
    expect(kernel.entries("/sys/fs/cgroup/kubepods")).toContain("cpu.max");
    expect(kernel.removeDirectory("/sys/fs/cgroup/kubepods")).toBe(true);
    expect(kernel.read("/sys/fs/cgroup/kubepods/memory.max")).toBeUndefined();
  });

  test("each v1 controller has a separate tree", () => {
    const { kernel } = make({ cgroups: "v1" }).host;
    kernel.makeDirectory("/sys/fs/cgroup/cpu/kubepods");
    expect(kernel.read("/sys/fs/cgroup/cpu/kubepods/cpu.shares")).toBe("1024");
    expect(kernel.read("/sys/fs/cgroup/memory/kubepods/memory.limit_in_bytes")).toBeUndefined();
    expect(kernel.read("/proc/self/mountinfo")).toContain("/sys/fs/cgroup/memory ");
  });

  test("what a test lets fail fails with that errno until it is mended", () => {
    const { kernel } = make().host;
    kernel.fail("/sys/fs/cgroup/pod1", "ENOSPC");
    expect(() => kernel.makeDirectory("/sys/fs/cgroup/pod1")).toThrow(expect.objectContaining({ code: "ENOSPC" }));
    kernel.fail("/sys/fs/cgroup/pod1", undefined);
    expect(kernel.makeDirectory("/sys/fs/cgroup/pod1")).toBe(true);
  });
});

describe("processes", () => {
  test("live in cgroups, keep them from being removed, and end by kill or cgroup.kill", () => {
    const { host } = make();
    for (const name of ["a", "a/b"]) host.kernel.makeDirectory(`/sys/fs/cgroup/${name}`);
    host.addProcess(101, "/sys/fs/cgroup/a");
    host.addProcess(102, "/sys/fs/cgroup/a");
    expect(host.kernel.removeDirectory("/sys/fs/cgroup/a")).toBe(false);
    host.kernel.write("/sys/fs/cgroup/a/b/cgroup.procs", "102");
    expect(host.kernel.read("/sys/fs/cgroup/a/cgroup.procs")).toBe("101\n");
    expect(host.kill(101, "SIGKILL")).toBe(true);
    expect(host.kill(101, 0)).toBe(false);
    host.kernel.write("/sys/fs/cgroup/a/cgroup.kill", "1");
    expect(host.kernel.read("/sys/fs/cgroup/a/b/cgroup.procs")).toBe("");
    expect(host.signals.map(({ pid }) => pid)).toEqual([101, 102]);
  });
});

test("on v1 a process is in one cgroup of each hierarchy", () => {
  const { host } = make({ cgroups: "v1" });
  const at = (controller: string, name: string) => `/sys/fs/cgroup/${controller}/${name}`;
  for (const controller of ["cpu", "memory"])
    for (const name of ["a", "b"]) host.kernel.makeDirectory(at(controller, name));
  for (const pid of [10, 101])
    for (const controller of ["cpu", "memory"]) host.kernel.write(`${at(controller, "a")}/cgroup.procs`, String(pid));
  host.kernel.write(`${at("cpu", "b")}/cgroup.procs`, "10");
  const pids = ([controller, name]: readonly string[]) =>
    host.kernel.read(`${at(controller ?? "", name ?? "")}/cgroup.procs`);
  expect(
    [
      ["cpu", "a"],
      ["cpu", "b"],
      ["memory", "a"],
      ["memory", "b"],
    ].map(pids),
  ).toEqual(["101\n", "10\n", "10\n101\n", ""]);
});

describe("disks", () => {
  test("a path has the file system of the nearest folder that was set", async () => {
    const { host } = make();
    host.setFileSystem("/var/lib", { device: "8:2", capacityBytes: 1000, availableBytes: 10 });
    expect(await host.statfs("/var/lib/hooklet/pods")).toMatchObject({ device: "8:2", availableBytes: 10 });
    expect(await host.statfs("/var")).toMatchObject({ device: "8:1" });
    host.setDiskUsage("/var/lib/x", { usedBytes: 5, inodesUsed: 2 });
    expect(await host.diskUsage("/var/lib/x")).toEqual({ usedBytes: 5, inodesUsed: 2 });
  });

  test("a call that hangs ends at its deadline, one that fails with its errno, one that is aborted at once", async () => {
    const { clock, host } = make();
    host.fail("statfs", "/gone", "ENOENT");
    await expect(host.statfs("/gone")).rejects.toMatchObject({ code: "ENOENT" });
    host.delay("statfs", Number.POSITIVE_INFINITY);
    host.delay("diskUsage", Number.POSITIVE_INFINITY);
    const stop = new AbortController();
    const calls = [host.statfs("/x"), host.diskUsage("/x"), host.diskUsage("/y", stop.signal)];
    const caught = calls.map((call) => call.catch((error: unknown) => error));
    stop.abort(new Error("enough"));
    expect(await caught[2]).toMatchObject({ message: "enough" });
    await clock.advance(30_000);
    expect(await Promise.all(caught)).toMatchObject([{ code: "HOST_UNAVAILABLE" }, { code: "HOST_UNAVAILABLE" }, {}]);
  });
});
