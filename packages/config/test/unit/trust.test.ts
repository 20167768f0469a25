import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { foreign, untrusted, untrustedFolder } from "@hooklet/linux";
import { describe, expect, test } from "@jest/globals";
import { faultsOf, gcPlugin, loadIn, makeFolder } from "../fixture.js";

/** A made-up file system: path -> [owner, mode]; everything else is root's, 0755. */
function check(entries: Record<string, [uid: number, mode: number]>, file: string, options: object = {}) {
  const lstat = (path: string) => {
    const [uid, mode] = entries[path] ?? [0, 0o755];
    return { uid, mode };
  };
  return untrusted(file, { uid: 0, lstat, ...options });
}

/** Advice that harms nothing else: a shared folder stays as it is. */
const MOVE = "move it to a directory that only root can write, such as /etc/hooklet";

describe("as root, a file is refused when a user other than root or its owner can write it or a folder above it", () => {
  const rc = "/etc/hooklet/rc.yaml";
  test.each([
    { name: "the file is writable by all", entries: { [rc]: [0, 0o666] }, path: rc, mode: "0666" },
    { name: "the file is writable by its group", entries: { [rc]: [0, 0o664] }, path: rc, mode: "0664" },
    {
      name: "its folder is writable by all",
      entries: { "/etc/hooklet": [0, 0o777] },
      path: "/etc/hooklet",
      mode: "0777",
    },
    {
      name: "a folder further up is writable by its group",
      entries: { "/etc": [0, 0o775] },
      path: "/etc",
      mode: "0775",
    },
    {
      name: "its own folder is sticky and writable by all",
      entries: { "/etc/hooklet": [0, 0o1777] },
      path: "/etc/hooklet",
      mode: "1777",
    },
  ] as const)("$name", ({ entries, path, mode }) => {
    const fault = check(entries as never, rc);
    expect(fault).toMatchObject({
      expected: expect.stringContaining(path),
      found: path === rc ? `mode ${mode} (fix it with: chmod go-w ${path})` : `mode ${mode} (${MOVE})`,
    });
  });

  test.each([
    { name: "the file belongs to another user", entries: { [rc]: [1000, 0o644] }, path: rc },
    { name: "a folder belongs to another user", entries: { "/etc/hooklet": [1000, 0o755] }, path: "/etc/hooklet" },
  ] as const)("$name", ({ entries, path }) => {
    expect(check(entries as never, rc)?.found).toBe(`owner 1000 (${MOVE})`);
    expect(check(entries as never, rc)?.expected).toContain(path);
  });

  test.each([
    { name: "everything is root's and closed", entries: {}, options: {} },
    { name: "a sticky folder writable by all lies further up", entries: { "/etc": [0, 0o1777] }, options: {} },
    {
      name: "the file belongs to the user who called sudo",
      entries: { [rc]: [1000, 0o600] },
      options: { sudoUid: 1000 },
    },
    { name: "hooklet does not run as root", entries: { [rc]: [1000, 0o666] }, options: { uid: 1000 } },
  ] as const)("accepted: $name", ({ entries, options }) => {
    expect(check(entries as never, rc, options)).toBeUndefined();
  });

  test("the way out is quoted where a shell would need it", () => {
    expect(check({ "/it's here/rc": [0, 0o666] }, "/it's here/rc")?.found).toContain("chmod go-w '/it'\\''s here/rc'");
  });
});

describe("as root, symbolic links on the path are checked one by one", () => {
  const LINK = 0o120777;
  const to: Record<string, string> = { "/etc/a": "/shared/b", "/shared/b": "../etc/real", "/tmp/l": "/etc/real" };
  const readlink = (path: string): string => to[path] ?? "";
  const links = { "/etc/a": [0, LINK], "/shared/b": [0, LINK], "/tmp/l": [0, LINK], "/tmp": [0, 0o1777] } as const;

  test.each([
    { name: "links of root in folders of root", file: "/etc/a/p.mjs", entries: {} },
    { name: "a link of root in a sticky folder", file: "/tmp/l/p.mjs", entries: {} },
  ])("accepted: $name", ({ file, entries }) => {
    expect(check({ ...links, ...entries } as never, file, { readlink })).toBeUndefined();
  });

  test.each([
    { name: "the folder that a link leads through", entries: { "/shared": [1000, 0o755] }, at: "/shared" },
    { name: "a link that a link leads to", entries: { "/shared/b": [1000, LINK] }, at: "/shared/b" },
    { name: "a folder behind the links", entries: { "/etc/real": [1000, 0o755] }, at: "/etc/real" },
    { name: "a link in a sticky folder", entries: { "/tmp/l": [1000, LINK] }, at: "/tmp/l", file: "/tmp/l/p.mjs" },
  ])("refused, since it belongs to another user: $name", ({ entries, at, file = "/etc/a/p.mjs" }) => {
    const fault = check({ ...links, ...entries } as never, file, { readlink });
    expect(fault?.expected).toBe(`${at}, on the way to ${file}, to belong to root`);
  });

  test("links that go round in a circle are an error, not an endless search", () => {
    const circle = () => check({ "/a": [0, LINK] }, "/a/p.mjs", { readlink: () => "/a" });
    expect(circle).toThrow("more than 40 symbolic links");
  });
});

describe("where the agent keeps what it believes", () => {
  const folder = "/var/lib/hooklet";
  function look(entries: Record<string, [uid: number, mode: number]>, options: object = {}) {
    const lstat = (path: string) => {
      const [uid, mode] = entries[path] ?? [0, 0o040755];
      if (uid < 0) throw Object.assign(new Error("ENOENT"), { code: "ENOENT" });
      return { uid, mode };
    };
    return untrustedFolder(folder, "choose another", { uid: 0, lstat, ...options });
  }

  test.each([
    { name: "a root dir of another user", entries: { [folder]: [1000, 0o755] }, found: "owner 1000 (choose another)" },
    { name: "a root dir that all can write", entries: { [folder]: [0, 0o777] }, found: "mode 0777 (choose another)" },
    { name: "a sticky root dir", entries: { [folder]: [0, 0o1777] }, found: "mode 1777 (choose another)" },
    { name: "another user's folder above", entries: { "/var": [1000, 0o755] }, found: "owner 1000 (choose another)" },
    { name: "a group that can rename it", entries: { "/var/lib": [0, 0o775] }, found: "mode 0775 (choose another)" },
  ] as const)("as root, refused: $name", ({ entries, found }) => {
    expect(look(entries as never)?.found).toBe(found);
  });

  test.each([
    { name: "root's own", entries: {}, options: {} },
    { name: "one that is not there yet", entries: { [folder]: [-1, 0] }, options: {} },
    { name: "one below a sticky folder", entries: { "/var": [0, 0o1777] }, options: {} },
    { name: "the caller's own", entries: { [folder]: [1000, 0o775] }, options: { uid: 1000 } },
    {
      name: "a strange folder above a caller's own",
      entries: { "/var": [7, 0o777], [folder]: [1000, 0o700] },
      options: { uid: 1000 },
    },
  ] as const)("accepted: $name", ({ entries, options }) => {
    expect(look(entries as never, options)).toBeUndefined();
  });

  test.each([
    { name: "somebody else's", entries: { [folder]: [7, 0o755] } },
    { name: "one that all can write", entries: { [folder]: [1000, 0o777] } },
  ] as const)("as an ordinary user, refused: $name", ({ entries }) => {
    expect(look(entries as never, { uid: 1000 })?.found).toContain("(choose another)");
  });
});

test("a slash at the end of a folder's name changes nothing", () => {
  const lstat = (path: string) => ({ uid: path === "/srv/node" ? 7 : 0, mode: 0o040755 });
  const fault = (folder: string, uid: number) => untrustedFolder(folder, "choose another", { uid, lstat })?.found;
  for (const folder of ["/srv/node", "/srv/node/", "/srv/node//"])
    expect([fault(folder, 0), fault(folder, 1000)]).toEqual(["owner 7 (choose another)", "owner 7 (choose another)"]);
});

describe("an rc file that was found and not named", () => {
  const rc = "/work/.hookletrc.mjs";
  const look = (owner: number, uid: number, sudoUid?: number) =>
    foreign(rc, { uid, ...(sudoUid !== undefined && { sudoUid }), lstat: () => ({ uid: owner, mode: 0o100644 }) });

  test.each([
    { name: "the caller's", owner: 1000, uid: 1000 },
    { name: "root's", owner: 0, uid: 1000 },
    { name: "root's, for root", owner: 0, uid: 0 },
  ])("is run when it is $name", ({ owner, uid }) => {
    expect(look(owner, uid)).toBeUndefined();
  });

  test("is not run when it belongs to neither the caller nor root", () => {
    expect(look(7, 1000)).toMatchObject({
      expected: `${rc} to belong to root or to user 1000`,
      found: "owner 7 (name it with --config if you want it run)",
    });
    expect(look(1000, 0)).toBeDefined();
    expect(look(1000, 0, 1000)).toBeUndefined();
  });
});

const asRoot = process.geteuid?.() === 0 ? test : test.skip;

describe("on the real file system", () => {
  asRoot("a world-writable rc file is refused, and nothing it names is imported", async () => {
    const folder = makeFolder();
    const rc = join(folder, ".hookletrc");
    writeFileSync(rc, 'plugins: ["./p.mjs"]');
    writeFileSync(join(folder, "p.mjs"), "globalThis.hookletImported = true; export default {};");
    chmodSync(rc, 0o666);
    await expect(loadIn(folder, { uid: 0 })).rejects.toThrow(`chmod go-w ${rc}`);
    expect(globalThis).not.toHaveProperty("hookletImported");
  });

  asRoot("a world-writable plugin file is refused without being imported", async () => {
    const folder = makeFolder();
    const plugin = join(folder, "p.mjs");
    writeFileSync(plugin, "globalThis.hookletImported = true; export default {};");
    chmodSync(plugin, 0o777);
    const attempt = loadIn(folder, { uid: 0, files: { ".hookletrc": 'plugins: ["./p.mjs"]' } });
    await expect(attempt).rejects.toMatchObject({
      code: "CONFIG_FAULTS",
      faults: [{ path: "plugins[0]", line: 1, found: `mode 0777 (fix it with: chmod go-w ${plugin})` }],
    });
    expect(globalThis).not.toHaveProperty("hookletImported");
  });

  asRoot("a world-writable strategy file is refused", async () => {
    const folder = makeFolder();
    writeFileSync(join(folder, "s.mjs"), "export default () => 'x';");
    chmodSync(join(folder, "s.mjs"), 0o666);
    const rc = 'plugins: [[gc, { order: { use: "./s.mjs" } }]]';
    const modules = { "@hooklet/plugin-gc": gcPlugin };
    // The package itself is made up, so that only its own strategy file can be found wanting.
    await expect(loadIn(folder, { uid: 1000, files: { ".hookletrc": rc }, modules })).resolves.toBeDefined();
    await expect(loadIn(folder, { uid: 0, modules })).rejects.toMatchObject({
      faults: [{ path: "plugins[0].order.use", found: expect.stringContaining("mode 0666") }],
    });
  });

  asRoot("a link is followed, and the folder that holds the link counts as well", async () => {
    const folder = makeFolder();
    const [safe, open] = [join(folder, "safe"), join(folder, "open")];
    mkdirSync(safe);
    mkdirSync(open);
    chmodSync(open, 0o777);
    writeFileSync(join(safe, "rc.yaml"), "port: 1");
    writeFileSync(join(open, "rc.yaml"), "port: 1");
    symlinkSync(join(safe, "rc.yaml"), join(open, "to-safe.yaml"));
    symlinkSync(join(open, "rc.yaml"), join(safe, "to-open.yaml"));
    for (const config of ["open/to-safe.yaml", "safe/to-open.yaml"]) {
      await expect(loadIn(folder, { uid: 0, flags: { config } })).rejects.toThrow(`${open}, on the way to`);
    }
    await expect(loadIn(folder, { uid: 0, flags: { config: "safe/rc.yaml" } })).resolves.toBeDefined();
  });

  asRoot("SUDO_UID alone makes no files root's; --trust-sudo-user does", async () => {
    const folder = makeFolder();
    const rc = join(folder, ".hookletrc.mjs");
    writeFileSync(rc, "globalThis.hookletImported = true; export default { port: 1 };");
    chownSync(rc, 1002, 1002);
    const sudo = { env: { HOME: "/root", SUDO_UID: "1002" }, uid: 0 };
    await expect(loadIn(folder, sudo)).rejects.toThrow("owner 1002");
    expect(globalThis).not.toHaveProperty("hookletImported");
    await expect(loadIn(folder, { ...sudo, trustSudoUser: true })).resolves.toMatchObject({ port: 1, sudoUid: 1002 });
    delete (globalThis as { hookletImported?: boolean }).hookletImported;
  });

  asRoot("a foreign rc file in an ordinary user's working directory is not run", async () => {
    const folder = makeFolder();
    const rc = join(folder, ".hookletrc.mjs");
    writeFileSync(rc, "globalThis.hookletImported = true; export default {};");
    chownSync(rc, 1003, 1003);
    await expect(loadIn(folder, { uid: 1002 })).rejects.toThrow("--config");
    expect(globalThis).not.toHaveProperty("hookletImported");
  });

  asRoot("a root dir of another user is refused, with what to do instead", async () => {
    const folder = makeFolder();
    mkdirSync(join(folder, "root"));
    chownSync(join(folder, "root"), 1002, 1002);
    const attempt = loadIn(folder, { uid: 0, files: { ".hookletrc": "rootDir: root" } });
    await expect(attempt).rejects.toMatchObject({
      faults: [{ path: "rootDir", line: 1, found: expect.stringContaining("choose another root directory") }],
    });
  });

  asRoot("manifests in a folder that others can write are taken, and named in a warning", async () => {
    const folder = makeFolder();
    const manifests = join(folder, "pods");
    mkdirSync(manifests);
    expect((await loadIn(folder, { uid: 0, files: { ".hookletrc": "sources: {manifests: pods}" } })).warnings).toEqual(
      [],
    );
    chmodSync(manifests, 0o777);
    const { warnings } = await loadIn(folder, { uid: 0 });
    expect(warnings).toEqual([expect.stringMatching(/pods.* to be writable by its owner only, found mode 0777/)]);
  });

  test("an ordinary user may keep files as they like", async () => {
    const folder = makeFolder();
    writeFileSync(join(folder, ".hookletrc"), "port: 1");
    chmodSync(join(folder, ".hookletrc"), 0o666);
    expect((await loadIn(folder, {})).port).toBe(1);
    expect(await faultsOf({ files: { ".hookletrc": "prot: 1" } })).toHaveLength(1);
  });
});
