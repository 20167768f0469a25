import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { ContainerFiles, LogFile } from "../../../src/runtime/files.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "hooklet-sim-files-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("the files of a container", () => {
  const files = (...mounts: readonly (readonly [containerPath: string, hostPath: string, readonly?: boolean])[]) =>
    new ContainerFiles(
      mounts.map(([containerPath, hostPath, readonly = false]) => ({
        containerPath,
        hostPath,
        readonly,
        selinuxRelabel: false,
        propagation: "PRIVATE" as const,
      })),
    );

  test("are its own where nothing is mounted, under any spelling of their path", () => {
    const own = files(["/data", folder]);
    own.write("/etc/../tmp/a", "text");
    own.write("/database", "beside");
    expect([own.read("/tmp/a"), own.read("/tmp/./a"), own.read("/database")]).toEqual(["text", "text", "beside"]);
    expect(() => own.read("/tmp/b")).toThrow("/tmp/b: No such file or directory");
    expect(() => files().read("/tmp/a")).toThrow("No such file");
  });

  test("are the node's below a mount, of which the deepest counts", () => {
    mkdirSync(path.join(folder, "inner"));
    const mounted = files(["/data/", folder], ["/data/deep", path.join(folder, "inner")]);
    mounted.write("/data/a", "one");
    mounted.write("/data/deep/b", "two");
    expect(readFileSync(path.join(folder, "a"), "utf8")).toBe("one");
    expect(readFileSync(path.join(folder, "inner/b"), "utf8")).toBe("two");
    expect(mounted.read("/data/x/../a")).toBe("one");
    expect(() => mounted.read("/data/c")).toThrow("ENOENT");
  });

  test("may be a single file of the node", () => {
    writeFileSync(path.join(folder, "hosts"), "127.0.0.1");
    expect(files(["/etc/hosts", path.join(folder, "hosts")]).read("/etc/hosts")).toBe("127.0.0.1");
  });

  test("of a read-only mount are read and not written", () => {
    writeFileSync(path.join(folder, "a"), "one");
    const mounted = files(["/data", folder, true]);
    expect(() => mounted.write("/data/a", "two")).toThrow("/data/a: Read-only file system");
    expect(mounted.read("/data/a")).toBe("one");
  });

  test("on a path that leads out of a mount are the container's own", () => {
    const mounted = files(["/data", path.join(folder, "inner")]);
    mounted.write("/data/../a", "own");
    expect(mounted.read("/a")).toBe("own");
  });
});

describe("a log", () => {
  test("is there from its start, and has a line for each line, a partial one for what is not ended", () => {
    const file = path.join(folder, "pod/main/0.log");
    const log = new LogFile(file, () => Date.UTC(2026, 0, 2, 3, 4, 5, 6));
    log.open();
    expect(readFileSync(file, "utf8")).toBe("");
    log.write("stdout", "one\ntwo");
    log.write("stderr", "\n");
    log.write("stdout", "");
    const at = "2026-01-02T03:04:05.006000000Z";
    expect(readFileSync(file, "utf8")).toBe(`${at} stdout F one\n${at} stdout P two\n${at} stderr F \n`);
  });
});
