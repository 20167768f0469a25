import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readlinkSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { kernelFiles } from "../../../src/kernel/kernel-files.js";
import { MAX_KERNEL_FILE_BYTES } from "../../../src/kernel/kernel-reader.js";

let directory = "";
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "hooklet-kernel-"));
});
afterAll(() => rm(directory, { recursive: true }));

const at = (...names: string[]): string => join(directory, ...names);

describe("reading", () => {
  test.each([
    { name: "an empty file", text: "" },
    { name: "a line", text: "max 100000\n" },
    { name: "exactly the size of the buffer", text: "x".repeat(64 * 1024) },
    { name: "letters that lie across its border", text: `${"x".repeat(64 * 1024 - 1)}ü/volumes` },
  ])("gives $name back whole", async ({ text }) => {
    await writeFile(at("file"), text);
    expect(kernelFiles.read(at("file"))).toBe(text);
  });

  test("a file that comes a page at a time is read to its end", () => {
    const lines = Array.from({ length: 40 }, () => kernelFiles.read("/proc/self/mountinfo") ?? "");
    for (const text of lines) expect(text.endsWith("\n")).toBe(true);
    // The kernel gives /proc/kallsyms, a megabyte and more, in pieces of a page.
    const symbols = kernelFiles.read("/proc/kallsyms");
    if (symbols !== undefined && symbols !== "") expect(symbols.endsWith("\n")).toBe(true);
  });

  test("what is not there, or is no longer, is undefined; a folder is an error with the system's code", async () => {
    expect(kernelFiles.read(at("absent"))).toBeUndefined();
    expect(kernelFiles.read(at("file", "below"))).toBeUndefined();
    expect(() => kernelFiles.read(directory)).toThrow(expect.objectContaining({ code: "EISDIR" }));
  });

  test("a file without end is refused and not read on", () => {
    expect(() => kernelFiles.read("/dev/zero")).toThrow(expect.objectContaining({ code: "EFBIG" }));
    expect(MAX_KERNEL_FILE_BYTES).toBe(16 * 1024 * 1024);
  });
});

describe("writing", () => {
  test("only into a file that is there, at once or slowly", async () => {
    await writeFile(at("value"), "");
    kernelFiles.write(at("value"), "512");
    expect(kernelFiles.read(at("value"))).toBe("512");
    await kernelFiles.writeSlowly(at("value"), "256");
    expect(kernelFiles.read(at("value"))).toBe("256");
    expect(() => kernelFiles.write(at("absent"), "1")).toThrow(expect.objectContaining({ code: "ENOENT" }));
    await expect(kernelFiles.writeSlowly(at("absent"), "1")).rejects.toMatchObject({ code: "ENOENT" });
  });
});

describe("folders", () => {
  test("are made once, listed, and removed when nothing is in them", async () => {
    expect(kernelFiles.makeDirectory(at("pod"))).toBe(true);
    expect(kernelFiles.makeDirectory(at("pod"))).toBe(false);
    await mkdir(at("pod", "container"));
    await writeFile(at("pod", "cpu.max"), "max");
    expect(kernelFiles.directories(at("pod"))).toEqual(["container"]);
    expect([...kernelFiles.entries(at("pod"))].sort()).toEqual(["container", "cpu.max"]);
    expect(kernelFiles.removeDirectory(at("pod"))).toBe(false);
    await rm(at("pod", "cpu.max"));
    expect(kernelFiles.removeDirectory(at("pod", "container"))).toBe(true);
    expect(kernelFiles.removeDirectory(at("pod"))).toBe(true);
    expect(kernelFiles.removeDirectory(at("pod"))).toBe(true);
  });

  test("one that is not there is empty and has no time; its making needs the folder above", () => {
    expect(kernelFiles.directories(at("absent"))).toEqual([]);
    expect(kernelFiles.entries(at("absent"))).toEqual([]);
    expect(kernelFiles.changedAt(at("absent"))).toBeUndefined();
    expect(kernelFiles.changedAt(directory)).toBeGreaterThan(1.5e12);
    expect(() => kernelFiles.makeDirectory(at("absent", "below"))).toThrow(expect.objectContaining({ code: "ENOENT" }));
  });
});

describe("a reader", () => {
  /** Of this test's folder: other tests of the process open files, too. */
  const openFiles = (): number =>
    readdirSync("/proc/self/fd").filter((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).startsWith(at(""));
      } catch {
        // Closed since it was listed.
        return false;
      }
    }).length;

  test("sees each new value, and nothing of a file that is not there", async () => {
    const reader = kernelFiles.reader(10);
    await writeFile(at("counter"), "1");
    expect(reader.read(at("counter"))).toBe("1");
    kernelFiles.write(at("counter"), "2");
    expect(reader.read(at("counter"))).toBe("2");
    expect(reader.read(at("absent"))).toBeUndefined();
    const stat = reader.read("/proc/self/stat");
    expect(reader.read("/proc/self/stat")?.split(" ")[0]).toBe(stat?.split(" ")[0]);
    reader.close();
  });

  test("keeps at most so many files open, and none once it is closed", async () => {
    const before = openFiles();
    const reader = kernelFiles.reader(2);
    for (const name of ["a", "b", "c", "d"]) {
      await writeFile(at(name), name);
      expect(reader.read(at(name))).toBe(name);
    }
    expect(openFiles() - before).toBeLessThanOrEqual(2);
    expect(["a", "b", "c", "d"].map((name) => reader.read(at(name)))).toEqual(["a", "b", "c", "d"]);
    reader.close();
    reader.close();
    expect(openFiles()).toBe(before);
    expect(() => reader.read(at("a"))).toThrow(/closed/);
  });

  test("a file of a process that is gone is undefined", async () => {
    const child = spawn("sleep", ["600"], { stdio: "ignore" });
    const reader = kernelFiles.reader(2);
    expect(reader.read(`/proc/${child.pid}/stat`)).toContain("sleep");
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(reader.read(`/proc/${child.pid}/stat`)).toBeUndefined();
    reader.close();
  });

  test("holds few files of what is gone, however often what stays is read meanwhile", async () => {
    const reader = kernelFiles.reader(1000);
    const files = ["stat", "statm", "maps", "limits", "io", "status", "cmdline", "environ", "wchan", "sched"];
    const hot = files.map((file) => `/proc/self/${file}`);
    const before = readdirSync("/proc/self/fd").length;
    const readHot = (): void => {
      for (const file of hot) reader.read(file);
    };
    for (let lives = 0; lives < 30; lives++) {
      const child = spawn("sleep", ["600"], { stdio: "ignore" });
      for (const file of ["stat", "statm"]) {
        reader.read(`/proc/${child.pid}/${file}`);
        readHot();
      }
      child.kill("SIGKILL");
      await once(child, "exit");
      readHot();
    }
    expect(readdirSync("/proc/self/fd").length - before).toBeLessThan(hot.length + 10);
    reader.close();
  });

  test("holds no file that is gone, even if it is not read again", async () => {
    const held = (): number =>
      readdirSync("/proc/self/fd").filter((fd) => {
        try {
          return pids.some((pid) => readlinkSync(`/proc/self/fd/${fd}`).startsWith(`/proc/${pid}/`));
        } catch {
          return false;
        }
      }).length;
    const children = Array.from({ length: 5 }, () => spawn("sleep", ["600"], { stdio: "ignore" }));
    const pids = children.map(({ pid }) => pid);
    const reader = kernelFiles.reader(100);
    // One that is there and is not asked for again either.
    reader.read("/proc/self/status");
    for (const pid of pids) for (const file of ["stat", "statm"]) reader.read(`/proc/${pid}/${file}`);
    expect(held()).toBe(10);
    const staying = children.pop();
    for (const child of children) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    for (const file of ["stat", "statm", "maps", "limits", "io"]) reader.read(`/proc/self/${file}`);
    expect(held()).toBe(2);
    expect(reader.read(`/proc/${staying?.pid}/stat`)).toContain("sleep");
    staying?.kill("SIGKILL");
    reader.close();
  });
});
