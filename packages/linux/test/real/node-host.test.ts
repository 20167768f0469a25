import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, link, mkdir, mkdtemp, readFile, rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@hooklet/utils";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { VirtualClock } from "../../../sim/src/clock/virtual-clock.js";
import { createDiskUsage } from "../../src/files/disk-usage.js";
import { createStatfs, deviceName, type FileSystemCalls } from "../../src/files/statfs.js";
import { nodeHost } from "../../src/node-host.js";

let directory = "";
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "hooklet-host-"));
});
afterAll(() => rm(directory, { recursive: true }));

const host = nodeHost(systemClock);

test("the machine's processors and page size are the system's", () => {
  expect(host.pageSize).toBe(Number(execFileSync("getconf", ["PAGESIZE"], { encoding: "utf8" })));
  expect(host.cpus).toBeGreaterThanOrEqual(1);
});

describe("text files", () => {
  test("are read whole; one that is not there is empty", async () => {
    const file = join(directory, "resolv.conf");
    await writeFile(file, "nameserver 192.0.2.53\n");
    expect(host.textFile(file)).toBe("nameserver 192.0.2.53\n");
    expect(host.textFile(join(directory, "none"))).toBe("");
  });

  test("a FIFO without a writer is empty, and does not block", () => {
    const fifo = join(directory, "fifo");
    execFileSync("mkfifo", [fifo]);
    expect(host.textFile(fifo)).toBe("");
  });

  test("what is no file is an error", () => {
    expect(() => host.textFile(directory)).toThrow(expect.objectContaining({ code: "EISDIR" }));
  });
});

describe("statfs", () => {
  test("reports size, free space and inodes, and one device for all folders of a file system", async () => {
    await mkdir(join(directory, "sub"));
    const [above, below] = await Promise.all([host.statfs(directory), host.statfs(join(directory, "sub"))]);
    const { blocks, bsize, files } = await statfs(directory);
    expect(above).toMatchObject({ capacityBytes: blocks * bsize, device: below.device });
    expect(above.inodes).toBe(files === 0 ? undefined : files);
    expect(above.availableBytes).toBeLessThanOrEqual(above.capacityBytes);
    expect((await host.statfs("/proc")).device).not.toBe(above.device);
  });

  test("a device is named as in mountinfo", () => {
    expect(deviceName(0x801n)).toBe("8:1");
    expect(deviceName(0x10300n | (0x12n << 20n))).toBe("259:4608".replace("4608", String((0x12 << 8) & 0xffffff00)));
  });

  test("a path that is not there is refused with the system's error", async () => {
    await expect(host.statfs(join(directory, "absent"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("a file system that hangs is given up after 5 s and asked once, however many ask; others answer meanwhile", async () => {
    const clock = new VirtualClock();
    const asked: string[] = [];
    const calls: FileSystemCalls = {
      stat: (path) => {
        asked.push(path);
        return path === "/hangs" ? new Promise(() => {}) : Promise.resolve({ dev: 0x801n });
      },
      statfs: async () => ({ blocks: 10, bsize: 4096, bavail: 5, files: 0, ffree: 0, bfree: 5, type: 0 }),
    };
    const ask = createStatfs(clock, calls);
    const hung = [ask("/hangs"), ask("/hangs")].map((call) => call.catch((error: Error) => error));
    expect(await ask("/well")).toEqual({
      device: "8:1",
      capacityBytes: 40960,
      availableBytes: 20480,
      freeBytes: 20480,
    });
    await clock.advance(5_000);
    for (const error of await Promise.all(hung)) expect(error).toMatchObject({ code: "HOST_UNAVAILABLE" });
    const again = ask("/hangs").catch((error: Error) => error);
    await clock.advance(5_000);
    expect(await again).toMatchObject({ code: "HOST_UNAVAILABLE", message: expect.stringContaining("/hangs") });
    expect(asked).toEqual(["/hangs", "/well"]);
  });
});

describe("disk usage", () => {
  test("counts blocks and inodes as du does, a file with two names once", async () => {
    const folder = join(directory, "usage");
    await mkdir(join(folder, "deep"), { recursive: true });
    await writeFile(join(folder, "file"), Buffer.alloc(1024 * 1024, 1));
    await link(join(folder, "file"), join(folder, "deep", "again"));
    const usage = await host.diskUsage(folder);
    const bytes = execFileSync("du", ["-sx", "--block-size=1", folder], { encoding: "utf8" });
    expect(usage).toEqual({ usedBytes: Number(bytes.split("\t")[0]), inodesUsed: 3 });
  });

  test("a folder in another one that is asked for at the same moment counts for both", async () => {
    const outer = join(directory, "outer");
    const inner = join(outer, "inner");
    await mkdir(inner, { recursive: true });
    await writeFile(join(inner, "file"), Buffer.alloc(1024 * 1024, 1));
    const [first, second] = await Promise.all([inner, outer].map((path) => host.diskUsage(path)));
    expect([first?.inodesUsed, second?.inodesUsed]).toEqual([2, 3]);
    expect(second?.usedBytes).toBeGreaterThan(first?.usedBytes ?? 0);
  });

  test("a missing folder is an error, and names that look like options are paths", async () => {
    await expect(host.diskUsage(join(directory, "absent"))).rejects.toThrow(/absent/);
    await expect(host.diskUsage("--version")).rejects.toMatchObject({ code: "INVALID" });
  });

  const program = async (name: string, script: string): Promise<string> => {
    const path = join(directory, name);
    await writeFile(path, `#!/bin/sh\n${script}\n`);
    await chmod(path, 0o755);
    return path;
  };

  test("files that vanish meanwhile are left out; any other complaint is reported as a lower bound", async () => {
    const vanishing = `echo "du: cannot access '/x/tmp1': No such file or directory" >&2; printf '4096\\t/x\\0'; exit 1`;
    const counted = await createDiskUsage(systemClock, await program("vanishing", vanishing))("/x");
    expect(counted).toEqual({ usedBytes: 4096, inodesUsed: 4096 });
    const broken = `echo "du: cannot read directory '/x/y': Input/output error" >&2; printf '4096\\t/x\\0'; exit 1`;
    const failing = await createDiskUsage(systemClock, await program("broken", broken))("/x");
    expect(failing).toEqual({
      usedBytes: 4096,
      inodesUsed: 4096,
      incomplete: expect.stringMatching(/Input\/output error/),
    });
    const cut = `echo "du: fts_read failed: /x/y: No such file or directory" >&2; printf '4096\\t/x\\0'; exit 1`;
    expect(await createDiskUsage(systemClock, await program("cut", cut))("/x")).toHaveProperty("incomplete");
    const silent = createDiskUsage(systemClock, await program("silent", "exit 1"))("/x");
    await expect(silent).rejects.toThrow("ended with 1 and printed no total");
  });

  test("folders that come and go all the time do not make the rest count as nothing", async () => {
    const folder = join(directory, "restless");
    await mkdir(join(folder, "a"), { recursive: true });
    await writeFile(join(folder, "large"), Buffer.alloc(4 * 1024 * 1024, 1));
    const script = `while :; do mkdir -p "$1/a/b/c/d"; rm -rf "$1/a/b"; done`;
    const restless = spawn("sh", ["-c", script, "sh", folder], { stdio: "ignore" });
    try {
      for (let round = 0; round < 20; round++) {
        expect((await host.diskUsage(folder)).usedBytes).toBeGreaterThanOrEqual(4 * 1024 * 1024);
      }
    } finally {
      restless.kill("SIGKILL");
      await once(restless, "exit");
    }
  });

  test("a count that takes longer than 30 s is given up and killed, one that is aborted at once", async () => {
    const clock = new VirtualClock();
    const pids = join(directory, "pids");
    const usage = createDiskUsage(clock, await program("endless", `echo $$ >> ${pids}; exec sleep 600`));
    const lines = async () => (await readFile(pids, "utf8").catch(() => "")).split("\n").filter(Boolean);
    const late = usage("/x").catch((error: unknown) => error);
    while ((await lines()).length < 2) await new Promise((resolve) => setImmediate(resolve));
    const stop = new AbortController();
    const aborted = usage("/y", stop.signal).catch((error: unknown) => error);
    while ((await lines()).length < 4) await new Promise((resolve) => setImmediate(resolve));
    stop.abort(new Error("enough"));
    expect(await aborted).toMatchObject({ message: "enough" });
    await clock.advance(30_000);
    expect(await late).toMatchObject({ code: "HOST_UNAVAILABLE" });
    for (const pid of await lines()) while (existsSync(`/proc/${pid}`)) await new Promise((done) => setImmediate(done));
  });

  test("two hundred folders that are asked for at once are counted by a few processes", async () => {
    const folder = join(directory, "many");
    const names = Array.from({ length: 200 }, (_, index) => join(folder, `n${index}`));
    for (const [index, name] of names.entries()) {
      await mkdir(name, { recursive: true });
      for (let file = 0; file < index % 3; file++) await writeFile(join(name, `f${file}`), "x");
    }
    const runs = join(directory, "runs");
    const usage = createDiskUsage(systemClock, await program("counted", `echo run >> ${runs}; exec du "$@"`));
    const counted = await Promise.all(names.map((name) => usage(name)));
    expect(counted.map(({ inodesUsed }) => inodesUsed)).toEqual(names.map((_, index) => 1 + (index % 3)));
    expect((await readFile(runs, "utf8")).split("\n").filter(Boolean)).toHaveLength(2);
  });

  test("a folder and one in it are both counted whole", async () => {
    const folder = join(directory, "outer");
    await mkdir(join(folder, "inner"), { recursive: true });
    await writeFile(join(folder, "inner", "file"), "x");
    const [outer, inner] = await Promise.all([host.diskUsage(folder), host.diskUsage(join(folder, "inner"))]);
    expect([outer.inodesUsed, inner.inodesUsed]).toEqual([3, 2]);
  });

  test("of folders that are counted together the one that hangs is given up, the others are reported", async () => {
    const clock = new VirtualClock();
    const asked = join(directory, "asked");
    const script = `
for path do case "$path" in /hangs) echo hung >> ${asked}; exec sleep 600;; /*) printf '4096\\t%s\\0' "$path";; esac; done`;
    const usage = createDiskUsage(clock, await program("hanging", script));
    const all = ["/a", "/hangs", "/b"].map((path) => usage(path).catch((error: unknown) => error));
    const lines = async () => (await readFile(asked, "utf8").catch(() => "")).split("\n").filter(Boolean);
    while ((await lines()).length < 2) await new Promise((resolve) => setImmediate(resolve));
    // What the two have said before that stands in their pipes.
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(30_000);
    const usual = { usedBytes: 4096, inodesUsed: 4096 };
    expect(await Promise.all(all)).toMatchObject([usual, { code: "HOST_UNAVAILABLE" }, usual]);
  });

  test("of folders that are counted together only the unreadable one is a lower bound", async () => {
    const script = `for path do case "$path" in
/bad) echo "du: cannot read directory '/bad': Input/output error" >&2; printf '1\\t/bad\\0';;
/*) printf '4096\\t%s\\0' "$path";; esac; done`;
    const usage = createDiskUsage(systemClock, await program("partly", script));
    const [good, bad] = await Promise.allSettled([usage("/good"), usage("/bad")]);
    expect(good).toMatchObject({ value: expect.not.objectContaining({ incomplete: expect.anything() }) });
    expect(bad).toMatchObject({ value: { incomplete: expect.stringContaining("Input/output error") } });
  });
});
