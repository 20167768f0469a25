/** What containers try, on real processes and mounts. Each of these worked before it was closed. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ContainerConfig } from "@hooklet/core/host";
import { systemClock } from "@hooklet/utils";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { canHang, hangOn } from "../../../core/test/pod/life/hung-volume.js";
import { securityContext } from "../../../testkit/src/runtime-suite/configs.js";
import { makeMountPoint } from "../../src/rootfs/mount-points.js";
import { LowerStats, RootView } from "../../src/rootfs/view.js";
import { isRoot } from "../harness.js";
import { alive, TestNode } from "../node.js";

const asRoot = isRoot ? test : test.skip;
const run = promisify(execFile);
let node: TestNode;
beforeAll(async () => {
  node = await TestNode.start();
});
afterAll(() => node.end());

const folder = (name: string): string => {
  const made = join(node.directory, name);
  mkdirSync(made);
  return made;
};

const withSecurity = (changes: Partial<ContainerConfig["linux"]["securityContext"]>): Partial<ContainerConfig> => ({
  linux: { resources: {}, securityContext: { ...securityContext, ...changes } },
});
const namespaces = { network: "NODE", pid: "CONTAINER", ipc: "POD" } as const;

describe("a container and the processes of others", () => {
  test("it sees its own processes and the one that waits for it", async () => {
    const out = await node.output("ls /proc | grep -E '^[0-9]+$' | sort -n | head -2 | xargs; echo $$");
    expect(out).toBe("1 2\n2\n");
  });

  asRoot("without a capability it can neither read another pod's environment nor its files", async () => {
    const secret = await node.run(["/bin/sleep", "300"], { envs: [{ key: "SECRET", value: "s3cret" }] });
    const { main } = await node.pids(secret);
    const script = `cat /proc/*/environ 2>&1 | tr '\\0' '\\n' | grep SECRET; ls /proc/${main} /proc/1/root/ 2>&1 | grep -v 'No such'; echo done`;
    const nobody = withSecurity({ runAsUser: 65534, capabilities: { add: [], drop: ["ALL"] } });
    expect(await node.output(script, nobody)).toMatch(
      /^(ls: cannot access '\/proc\/1\/root\/': Permission denied\n)?done\n$/,
    );
    await node.runtime.stopContainer(secret, 0);
  });

  asRoot("root in it cannot signal a process of the machine, nor the one that waits for it", async () => {
    const victim = await node.run(["/bin/sleep", "300"]);
    const { main } = await node.pids(victim);
    expect(await node.output(`kill -9 ${main} 2>/dev/null || echo none; kill -9 1; echo alive`)).toBe("none\nalive\n");
    expect(alive(main)).toBe(true);
    await node.runtime.stopContainer(victim, 0);
  });

  asRoot("a command of exec is in the same namespaces", async () => {
    const id = await node.run(["/bin/sleep", "300"]);
    const { stdout } = await node.runtime.execSync(
      id,
      ["/bin/sh", "-c", "cat /proc/2/comm; test $$ -lt 100 && echo few"],
      10,
    );
    expect(stdout.toString()).toBe("sleep\nfew\n");
    await node.runtime.stopContainer(id, 0);
  });
});

describe("mounts", () => {
  asRoot("a device file that root makes leads to no device, on a volume or in its own root", async () => {
    const mounts = [node.mount(folder("devices"), "/data")];
    const script =
      "for at in /data /dev /dev/shm ''; do mknod $at/zap c 1 5 && cat $at/zap 2>&1 | head -c 30; echo; done";
    const out = await node.output(script, { mounts });
    expect(out.split("\n").filter((line) => line !== "" && !line.includes(": Permission"))).toEqual([]);
  });

  asRoot("a read-only hostPath is so with all that is mounted below it", async () => {
    const host = folder("recursive");
    mkdirSync(join(host, "below"));
    await run("mount", ["-t", "tmpfs", "-o", "noexec", "tmpfs", join(host, "below")]);
    try {
      writeFileSync(join(host, "below", "f"), "seen");
      const script =
        "cat /data/below/f; echo x > /data/below/f; echo x > /data/f; grep ' /data/below ' /proc/self/mounts | cut -d' ' -f4";
      const out = await node.output(script, { mounts: [node.mount(host, "/data", true)] });
      expect(out).toMatch(/^seen.*Read-only file system.*Read-only file system.*\nro,nosuid,nodev,noexec/s);
      expect(readFileSync(join(host, "below", "f"), "utf8")).toBe("seen");
    } finally {
      await run("umount", ["-l", join(host, "below")]);
    }
  });

  asRoot("what a hostPath's own file system forbids stays forbidden", async () => {
    const host = folder("forbids");
    await run("mount", ["-t", "tmpfs", "-o", "ro,noexec", "tmpfs", host]);
    try {
      const script = "echo x > /data/f; grep ' /data ' /proc/self/mounts | cut -d' ' -f4";
      const out = await node.output(script, { mounts: [node.mount(host, "/data")] });
      expect(out).toMatch(/Read-only file system\nro,nosuid,nodev,noexec/);
    } finally {
      await run("umount", ["-l", host]);
    }
  });

  asRoot("what is mounted below the machine's /proc is not in a container, nor with hostPID", async () => {
    // Not every machine has binfmt_misc there.
    await run("mount", ["-t", "tmpfs", "tmpfs", "/proc/fs"]);
    try {
      const below = "grep -cE ' /proc/(fs|sys/fs/binfmt_misc) ' /proc/self/mounts";
      expect(await node.output(below)).toBe("0\n");
      expect(await node.output(below, withSecurity({ namespaces: { ...namespaces, pid: "NODE" } }))).toBe("0\n");
    } finally {
      await run("umount", ["-l", "/proc/fs"]);
    }
  });

  asRoot("a folder that turns into a link between the look and the making gets nothing made behind it", () => {
    const [volume, outside] = [folder("swapped"), folder("outside")];
    mkdirSync(join(volume, "a"));
    const view = new RootView([{ at: "/", upper: folder("root") }], new LowerStats(systemClock));
    view.mount("/vol", volume);
    expect(view.resolve("/vol/a").stat?.isDirectory()).toBe(true);
    renameSync(join(volume, "a"), join(volume, "b"));
    symlinkSync(outside, join(volume, "a"));
    expect(() => makeMountPoint(view, "/vol/a/made", "directory")).toThrow(
      "expected a directory at a, found something else",
    );
    expect(() => makeMountPoint(view, "/vol/a/made", "file")).toThrow(
      "expected a directory at a, found something else",
    );
    expect(readdirSync(outside)).toEqual([]);
  });
});

describe("logs", () => {
  asRoot("a link in place of a log, or of its folder, is not written through", async () => {
    const sandbox = await node.sandbox();
    const [{ logPath }] = [await node.runtime.containerStatus(await node.create(["/bin/true"], {}, sandbox))];
    const outside = folder("log-outside");
    writeFileSync(join(outside, "1.log"), "");
    mkdirSync(join(logPath, "..", ".."), { recursive: true });
    symlinkSync(outside, join(logPath, ".."));
    const next = { metadata: { name: "main", attempt: 1 }, logPath: "main/1.log" };
    const id = await node.create(["/bin/echo", "forged"], next, sandbox);
    await expect(node.runtime.startContainer(id)).rejects.toThrow("cannot open the log file");
    expect(readFileSync(join(outside, "1.log"), "utf8")).toBe("");
  });
});

asRoot("every user may use /dev/null", async () => {
  const nobody = withSecurity({ runAsUser: 65534, capabilities: { add: [], drop: ["ALL"] } });
  expect(await node.output("echo x > /dev/null && echo fine", nobody)).toBe("fine\n");
});

test("a command that prints without end costs ten KiB, and little time", async () => {
  const id = await node.run(["/bin/sleep", "300"]);
  const before = process.cpuUsage();
  await expect(node.runtime.execSync(id, ["cat", "/dev/zero"], 2)).rejects.toMatchObject({ code: "deadline-exceeded" });
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1e6).toBeLessThan(1);
  const { stdout, exitCode } = await node.runtime.execSync(id, ["head", "-c", "300000", "/dev/zero"], 10);
  expect([stdout.length, exitCode]).toEqual([10 * 1024, 0]);
  await node.runtime.stopContainer(id, 0);
});

(canHang ? test : test.skip)(
  "a volume that hangs costs its own pod: the agent goes on, and other pods start",
  async () => {
    const hung = folder("hung");
    const release = await hangOn(hung);
    try {
      let longest = 0;
      let last = systemClock.monotonic();
      const watch = (): void => {
        longest = Math.max(longest, systemClock.monotonic() - last);
        last = systemClock.monotonic();
        timer = systemClock.schedule(20, watch);
      };
      let timer = systemClock.schedule(20, watch);
      const bad = ["/data", "/data/below"].map((at) =>
        node.sh("true", { mounts: [node.mount(join(hung, at.slice(5)), at)], workingDir: at }),
      );
      const ends = Promise.allSettled(bad);
      expect(await node.output("echo well")).toBe("well\n");
      for (const end of (await ends) as PromiseRejectedResult[]) {
        expect([end.status, String(end.reason)]).toEqual(["rejected", expect.stringContaining("does not answer")]);
      }
      timer.cancel();
      // Who waits for the volume waits as long as it hangs.
      expect(longest).toBeLessThan(8000);
    } finally {
      await release();
    }
  },
);

asRoot("files of the machine stay out of sight: a link in a volume leads into the container", async () => {
  const data = folder("links");
  symlinkSync("/etc/shadow", join(data, "link"));
  expect(existsSync(join(data, "link"))).toBe(true);
  const nobody = withSecurity({ runAsUser: 65534, capabilities: { add: [], drop: ["ALL"] } });
  const out = await node.output("cat /data/link", { ...nobody, mounts: [node.mount(data, "/data")] });
  expect(out).toContain("Permission denied");
});
