/** Which command lines become a container, and which lead into one. */
import { describe, expect, test } from "@jest/globals";
import { securityContext } from "../../../../testkit/src/runtime-suite/configs.js";
import {
  type EntryInput,
  type ExecInput,
  entryChain,
  execChain,
  isSetupLine,
  type StartInput,
  setupChain,
  shimKind,
} from "../../../src/container/chain.js";

const names = ["sh", "setsid", "setpriv", "unshare", "nsenter", "mount", "umount", "env", "perl"] as const;
const tools = Object.fromEntries(names.map((name) => [name, name])) as EntryInput["tools"];
const scripts = { shim: "SHIM", inner: "INNER", exec: "EXEC", enter: "ENTER", starter: "STARTER", pull: "/s/pull.sh" };

describe("from the mounted root to the program", () => {
  const line = (parts: Partial<EntryInput> = {}) =>
    entryChain({
      tools,
      scripts,
      mode: "root",
      asRoot: true,
      security: { ...securityContext, privileged: true },
      user: { uid: 0, gid: 0, groups: [] },
      launchFile: "/c/launch",
      ...parts,
    })
      .map((word) => word || "''")
      .join(" ");

  test("a privileged container of root on the machine's own files", () => {
    expect(line()).toBe("setpriv --regid 0 --clear-groups perl -f ENTER 4 '' '' /c/launch");
  });

  test("another user with groups, in another root, keeps the capabilities for that until then", () => {
    const user = { uid: 7, gid: 8, groups: [9, 10] };
    const security = { ...securityContext, capabilities: { add: [], drop: ["ALL"] } };
    expect(line({ root: "/r", security, user })).toBe(
      "setpriv --regid 8 --groups 9,10 --bounding-set=-all,+sys_chroot,+setuid --inh-caps=-all perl -f ENTER 4 /r 7 /c/launch",
    );
    expect(line({ security, user })).toContain("--bounding-set=-all,+setuid ");
    expect(line({ root: "/r", security })).toContain("--bounding-set=-all,+sys_chroot ");
    expect(line({ security })).toContain("--bounding-set=-all ");
  });

  test("an agent that is not root changes no ids; of capabilities it has those of its user namespace", () => {
    const security = { ...securityContext, capabilities: { add: [], drop: ["ALL"] } };
    const user = { uid: 7, gid: 8, groups: [] };
    expect(line({ asRoot: false, mode: "none", security, user })).toBe("perl -f ENTER 4 '' '' /c/launch");
    expect(line({ asRoot: false, mode: "user", security, user })).toBe(
      "setpriv --bounding-set=-all --inh-caps=-all perl -f ENTER 4 '' '' /c/launch",
    );
  });

  test("a container that may gain no privileges gains none, as any user", () => {
    const security = { ...securityContext, privileged: true, noNewPrivs: true };
    expect(line({ asRoot: false, mode: "none", security })).toContain("setpriv --no-new-privs perl ");
    expect(line({ security })).toContain("setpriv --regid 0 --clear-groups --no-new-privs perl ");
  });

  test("a further command stands behind, and its errors are its own", () => {
    expect(line({ command: ["ls", "-l"] })).toMatch(/perl -f ENTER 2 '' '' \/c\/launch ls -l$/);
  });
});

describe("from the shim to the mounted root", () => {
  const start = (parts: Partial<StartInput> = {}) =>
    setupChain({
      tools,
      scripts,
      mode: "root",
      ownPids: true,
      ownIpc: true,
      folder: "/c",
      upFile: "/c/up",
      entry: ["app"],
      ...parts,
    }).join(" ");
  const inner = "sh INNER /c /c/up";

  test.each<{ name: string; parts: Partial<StartInput>; expected: string }>([
    { name: "all apart", parts: {}, expected: `unshare -m -i --propagation slave ${inner} 0 mount app` },
    {
      name: "with the machine's IPC",
      parts: { ownIpc: false },
      expected: `unshare -m --propagation slave ${inner} 0 mount app`,
    },
    {
      name: "with the IPC of its pod",
      parts: { ipcOf: 12 },
      expected: `nsenter -t 12 -i -- unshare -m --propagation slave ${inner} 0 mount app`,
    },
    {
      name: "of an ordinary user without PIDs of its own",
      parts: { mode: "user", ownPids: false },
      expected: `unshare -m -U -r -i --propagation slave ${inner} 0 mount app`,
    },
    {
      name: "without PIDs of its own is root all the same where the agent is",
      parts: { ownPids: false },
      expected: `unshare -m -i --propagation slave ${inner} 0 mount app`,
    },
    {
      name: "of an ordinary user whose shim is in the user namespace already",
      parts: { mode: "user" },
      expected: `unshare -m -i --propagation slave ${inner} 0 mount app`,
    },
    { name: "where nothing can be kept apart", parts: { mode: "none", ipcOf: 12 }, expected: `${inner} 0 mount app` },
    {
      name: "that goes sooner than others when memory is short",
      parts: { mode: "none", oomScoreAdj: 1000 },
      expected: `${inner} 1000 mount app`,
    },
  ])("a container $name", ({ parts, expected }) => {
    expect(start(parts)).toBe(`setsid ${expected}`);
  });

  test("the starter makes a PID namespace where there is one, in a user namespace where that needs one", () => {
    expect([shimKind("root", true), shimKind("user", true), shimKind("none", true)]).toEqual(["pids", "user", "plain"]);
    expect([shimKind("root", false), shimKind("user", false)]).toEqual(["plain", "plain"]);
  });

  test("each step of the set-up is known by its command line, and no other program is taken for one", () => {
    const start = ["setsid", "sh", "setpriv", "perl", ""];
    const lines = start.map((_, at) =>
      start
        .slice(at)
        .map((word) => `${word}\0`)
        .join(""),
    );
    expect(lines.filter((line) => isSetupLine(start, line))).toEqual(lines);
    for (const line of ["app\0", "h\0setpriv\0perl\0\0", "sh\0", "perl\0", "x\0perl\0\0"]) {
      expect(isSetupLine(start, line)).toBe(false);
    }
  });
});

describe("into a container that runs", () => {
  const into = (parts: Partial<ExecInput> = {}) => {
    const { enter, words } = execChain({
      tools,
      scripts,
      mode: "root",
      ownPids: true,
      ownIpc: true,
      folder: "/c",
      pid: 5,
      entry: ["ls"],
      ...parts,
    });
    return [enter.join(" "), words.join(" ")];
  };

  test.each<{ name: string; parts: Partial<ExecInput>; enter: string; words: string }>([
    { name: "all apart", parts: {}, enter: "nsenter -t 5 -m -p -i --", words: "sh EXEC /c 0 ls" },
    {
      name: "with the machine's processes and IPC",
      parts: { ownPids: false, ownIpc: false },
      enter: "nsenter -t 5 -m --",
      words: "sh EXEC /c 0 ls",
    },
    {
      name: "in a user namespace",
      parts: { mode: "user" },
      enter: "nsenter -t 5 -m -p -i -U --preserve-credentials --",
      words: "sh EXEC /c 0 ls",
    },
    {
      name: "without namespaces, with a score",
      parts: { mode: "none", oomScoreAdj: -5 },
      enter: "",
      words: "sh EXEC /c -5 ls",
    },
  ])("$name", ({ parts, enter, words }) => {
    expect(into(parts)).toEqual([enter, words]);
  });
});
