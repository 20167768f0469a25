/** What `hooklet describe node` and the README say of isolation, checked from inside a container: what they say is so, in each way that this machine allows. */
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { ContainerConfig, IsolationFact, NamespaceMode } from "@hooklet/core/host";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { securityContext } from "../../../testkit/src/runtime-suite/configs.js";
import { isRoot } from "../harness.js";
import { TestNode } from "../node.js";

const NOBODY = 65534;
const O_CLOEXEC = 0o2000000;
/** containerd's default capabilities, by their numbers in capabilities(7). */
const DEFAULT_CAPABILITIES = [0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31];
const SETUID = 7;
const SYS_CHROOT = 18;

type Security = ContainerConfig["linux"]["securityContext"];
const withSecurity = (changes: Partial<Security>): Partial<ContainerConfig> => ({
  linux: { resources: {}, securityContext: { ...securityContext, ...changes } },
});
const onNode = (changes: Partial<Record<"pid" | "ipc", NamespaceMode>>) =>
  withSecurity({ namespaces: { ...securityContext.namespaces, ...changes } });
const namespace = (name: string): string => readlinkSync(`/proc/self/ns/${name}`);
const statusOf = (text: string, field: string): string => new RegExp(`^${field}:\\s+(.*)$`, "m").exec(text)?.[1] ?? "";
/** Descriptors that the parent of these tests left open for all its children. */
const inherited = readdirSync("/proc/self/fd").filter((number) => {
  const info =
    Number(number) > 2 &&
    existsSync(`/proc/self/fdinfo/${number}`) &&
    readFileSync(`/proc/self/fdinfo/${number}`, "utf8");
  return info !== false && (Number.parseInt(statusOf(info, "flags"), 8) & O_CLOEXEC) === 0;
});
const bits = (numbers: readonly number[]): bigint => numbers.reduce((set, bit) => set | (1n << BigInt(bit)), 0n);

describe.each([
  ["by default", {}],
  ["without namespaces and cgroups", { namespaces: false, cgroups: false }],
])("the isolation table is true %s:", (_, options) => {
  let node: TestNode;
  let mode: string;
  let facts: readonly IsolationFact[];
  beforeAll(async () => {
    node = await TestNode.start(options);
    const { isolation, details } = await node.runtime.info();
    facts = isolation;
    mode = String(details?.mode);
  });
  afterAll(() => node.end());

  const said = (what: string): IsolationFact => {
    const fact = facts.find((one) => one.what === what);
    if (fact === undefined) throw new Error(`nothing is said of ${what}`);
    return fact;
  };
  const inside = async (script: string, changes: Partial<ContainerConfig> = {}): Promise<string> =>
    (await node.output(script, changes)).trim();
  /** Two containers of one pod, which run; what a command says in each. */
  const inPod = async (...scripts: readonly string[]): Promise<readonly string[]> => {
    const sandbox = await node.sandbox();
    const reported: string[] = [];
    for (const [at, script] of scripts.entries()) {
      const id = await node.create(["/bin/sleep", "300"], { metadata: { name: `c${at}`, attempt: 0 } }, sandbox);
      await node.runtime.startContainer(id);
      const { stdout } = await node.runtime.execSync(id, ["/bin/sh", "-c", script], 60);
      reported.push(stdout.toString().trim());
    }
    await node.runtime.removeSandbox(sandbox);
    return reported;
  };

  const checks: Readonly<Record<string, () => Promise<void>>> = {
    files: async () => {
      const apart = said("files").isolated !== "no";
      const root = await inside("stat -c %i-%d / 2>/dev/null");
      const { ino, dev } = statSync("/", { bigint: true });
      expect(root === `${ino}-${dev}`).toBe(!apart);
      const written = `/var/tmp/hooklet-isolation-${process.pid}`;
      await inside(`echo x >${written}`);
      expect(existsSync(written)).toBe(!apart);
      rmSync(written, { force: true });
    },

    mounts: async () => {
      const { isolated, how } = said("mounts");
      const volume = join(node.directory, "volume");
      mkdirSync(volume, { recursive: true });
      const mounts = [node.mount(volume, "/data")];
      if (isolated === "no") {
        await expect(node.create(["/bin/true"], { mounts })).rejects.toMatchObject({ code: "failed-precondition" });
        return expect(how).toContain("pods with volumes are refused");
      }
      expect(await inside("readlink /proc/self/ns/mnt")).not.toBe(namespace("mnt"));
      const flags = "grep ' /data ' /proc/self/mounts | cut -d' ' -f4";
      expect((await inside(flags, { mounts })).split(",")).toEqual(expect.arrayContaining(["rw", "nosuid", "nodev"]));
      const privileged = await inside(flags, { mounts, ...withSecurity({ privileged: true }) });
      const ofDisk = statSync(volume).dev === statSync("/").dev && isRoot;
      if (ofDisk) expect(privileged.split(",")).not.toContain("nosuid");
      const readonly = [node.mount(volume, "/data", true)];
      expect(await inside("echo x 2>&1 >/data/x", { mounts: readonly })).toContain("Read-only file system");
    },

    devices: async () => {
      if (said("devices").isolated === "no") {
        const { ino, dev } = statSync("/dev", { bigint: true });
        return expect(await inside("stat -c %i-%d /dev")).toBe(`${ino}-${dev}`);
      }
      const found = await inside("cd /dev && for at in *; do test -c $at && test ! -L $at && echo $at; done");
      expect(found.split("\n").filter((name) => name !== "ptmx")).toEqual([
        "full",
        "null",
        "random",
        "tty",
        "urandom",
        "zero",
      ]);
      expect(await inside("echo x >/dev/null && head -c 2 /dev/zero | od -An -tx1")).toBe("00 00");
    },

    users: async () => {
      const { isolated, how } = said("users");
      const own = process.getuid?.() ?? 0;
      const other = withSecurity({ runAsUser: NOBODY, supplementalGroups: [] });
      const id = await node.run(["/bin/sleep", "300"]);
      const outside = readFileSync(`/proc/${(await node.pids(id)).main}/status`, "utf8");
      expect(Number(statusOf(outside, "Uid").split("\t")[0])).toBe(own);
      await node.runtime.stopContainer(id, 0);
      expect(await inside("id -u")).toBe(String(mode === "user" ? 0 : own));
      if (how.includes("runAsUser is obeyed")) return expect(await inside("id -u", other)).toBe(String(NOBODY));
      expect(how).toContain("no other users");
      expect(isolated).toBe(mode === "user" ? "partly" : "no");
      const refused = withSecurity({ runAsUser: NOBODY - 1 });
      await expect(node.run(["/bin/true"], refused)).rejects.toThrow();
    },

    capabilities: async () => {
      const { isolated, how } = said("capabilities");
      const sets = (changes = {}) => inside("cat /proc/self/status", withSecurity(changes));
      const bounding = async (changes = {}) => BigInt(`0x${statusOf(await sets(changes), "CapBnd")}`);
      if (isolated === "no") {
        expect(how).toBe("an ordinary user has none");
        return expect(BigInt(`0x${statusOf(await sets(), "CapEff")}`)).toBe(0n);
      }
      expect(await bounding()).toBe(bits(DEFAULT_CAPABILITIES));
      expect(await bounding({ capabilities: { add: ["SYS_TIME"], drop: ["KILL"] } })).toBe(
        bits([...DEFAULT_CAPABILITIES.filter((bit) => bit !== 5), 25]),
      );
      const none = { capabilities: { add: [], drop: ["ALL"] } };
      const stays = how.includes("sys_chroot stays") ? [SYS_CHROOT] : [];
      expect(await bounding(none)).toBe(bits(stays));
      expect(how.includes("setuid stays")).toBe(isRoot);
      if (isRoot) expect(await bounding({ ...none, runAsUser: NOBODY })).toBe(bits([...stays, SETUID]));
    },

    processes: async () => {
      const apart = said("processes").isolated === "yes";
      const pid = await inside("readlink /proc/self/ns/pid");
      expect(pid !== namespace("pid")).toBe(apart);
      const agent = await inside(`grep -cF ${process.argv0} /proc/${process.pid}/cmdline`);
      expect(Number(agent) > 0).toBe(!apart);
      if (apart) expect(await inside("readlink /proc/self/ns/pid", onNode({ pid: "NODE" }))).toBe(namespace("pid"));
      const id = await node.run(["/bin/sleep", "300"]);
      const { main } = await node.pids(id);
      const [, , , , group, session] = readFileSync(`/proc/${main}/stat`, "utf8").split(" ");
      expect([group, session]).toEqual([String(main), String(main)]);
      await node.runtime.stopContainer(id, 0);
    },

    descriptors: async () => {
      expect(said("descriptors").isolated).toBe("yes");
      const found = (await inside("ls /proc/$$/fd")).split("\n");
      // An agent closes at its start what it was started with (core/test/host/descriptors); who runs tests may not.
      expect(found.filter((number) => !inherited.includes(number))).toEqual(["0", "1", "2"]);
      expect(await inside("readlink /proc/$$/fd/0")).toBe("/dev/null");
    },

    cgroups: async () => {
      const own = readFileSync("/proc/self/cgroup", "utf8").trim();
      const id = await node.run(["/bin/sleep", "300"]);
      const theirs = readFileSync(`/proc/${(await node.pids(id)).main}/cgroup`, "utf8").trim();
      await node.runtime.stopContainer(id, 0);
      if (said("cgroups").isolated === "no") return expect(theirs).toBe(own);
      for (const controller of ["cpu", "memory", "pids"]) {
        const line = theirs
          .split("\n")
          .find((one) => one.startsWith("0::") || one.split(":")[1]?.split(",").includes(controller));
        expect({ controller, line }).toEqual({ controller, line: expect.stringContaining(id) });
      }
    },

    network: async () => {
      expect(said("network").isolated).toBe("no");
      expect(await inside("readlink /proc/self/ns/net")).toBe(namespace("net"));
    },

    ipc: async () => {
      const { isolated, how } = said("ipc");
      const look = "readlink /proc/self/ns/ipc";
      const [a, b] = await inPod(look, look);
      expect(a !== namespace("ipc")).toBe(isolated === "yes");
      if (isolated === "no") return;
      expect(a === b).toBe(how.includes("shared by the pod's containers"));
      const name = `hooklet-${process.pid}`;
      const [, read] = await inPod(`echo kept >/dev/shm/${name}`, `cat /dev/shm/${name}`);
      // Nothing can be shared by those in user namespaces of their own.
      expect(read).toBe(isRoot ? "kept" : "");
      expect(existsSync(`/dev/shm/${name}`)).toBe(false);
      expect(await inside(`ls /dev/shm | grep -c ${name}`)).toBe("0");
      expect(await inside("ls /dev/pts")).toBe("ptmx");
      expect(await inside(look, onNode({ ipc: "NODE" }))).toBe(namespace("ipc"));
    },

    "system calls": async () => {
      expect(said("system calls").isolated).toBe("no");
      const own = statusOf(readFileSync("/proc/self/status", "utf8"), "Seccomp");
      const asked = withSecurity({ seccomp: { profileType: "RuntimeDefault", localhostRef: "" } });
      expect(statusOf(await inside("cat /proc/self/status", asked), "Seccomp")).toBe(own);
    },

    hostname: async () => {
      const { isolated, how } = said("hostname");
      expect(isolated).toBe("no");
      const sandbox = await node.sandbox({ hostname: "web-0" });
      const id = await node.create(["/bin/sh", "-c", "uname -n; echo $HOSTNAME; cat /etc/hostname"], {}, sandbox);
      await node.runtime.startContainer(id);
      const [real, variable, file] = (await node.log(await node.ended(id))).split("\n");
      expect([real, variable]).toEqual([hostname(), "web-0"]);
      expect(file === "web-0").toBe(how.includes("/etc/hostname"));
    },
  };

  test("each row is checked here", () => {
    expect(facts.map(({ what }) => what).toSorted()).toEqual(Object.keys(checks).toSorted());
  });

  test.each(Object.keys(checks))("%s", async (what) => {
    await checks[what]?.();
  });
});
