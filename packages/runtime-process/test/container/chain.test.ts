/** Which command lines become a container, and which lead into one. */
import { describe, expect, test } from "@jest/globals";
import { securityContext } from "../../../testkit/src/runtime-suite/configs.js";
import {
  type EntryInput,
  type ExecInput,
  entryChain,
  execChain,
  type StartInput,
  setupChain,
  setupCommandLines,
  shimKind,
} from "../../src/container/chain.js";

const names = ["sh", "setsid", "setpriv", "unshare", "nsenter", "mount", "env"] as const;
const tools = Object.fromEntries(names.map((name) => [name, name])) as EntryInput["tools"];
const scripts = { shim: "SHIM", inner: "INNER", exec: "EXEC", starter: "STARTER" };
const environment = { file: "", outside: [], inside: [] };

describe("from the mounted root to the program", () => {
  const root = { uid: 0, gid: 0, groups: [] };
  const input = (parts: Partial<EntryInput> = {}, launch: Partial<EntryInput["launch"]> = {}): EntryInput => ({
    tools,
    mode: "root",
    asRoot: true,
    security: { ...securityContext, privileged: true },
    launch: { argv: ["app", "-x"], user: root, workingDir: "/work", ...launch },
    environment,
    ...parts,
  });
  const line = (parts: Partial<EntryInput> = {}, launch: Partial<EntryInput["launch"]> = {}) =>
    entryChain(input(parts, launch)).words.join(" ");

  test("a privileged container of root on the machine's own files", () => {
    expect(line()).toBe("setpriv --regid 0 --clear-groups unshare -w /work -- app -x");
  });

  test("another user with groups, in a root of its own, keeps what leads there until it is there", () => {
    const user = { uid: 7, gid: 8, groups: [9, 10] };
    const security = { ...securityContext, capabilities: { add: [], drop: ["ALL"] } };
    expect(line({ root: "/r", security }, { user })).toBe(
      "setpriv --regid 8 --groups 9,10 --bounding-set=-all,+sys_chroot,+setuid --inh-caps=-all unshare -R /r -w /work -S 7 -- app -x",
    );
    expect(line({ security }, { user })).toContain("--bounding-set=-all,+setuid ");
    expect(line({ root: "/r", security })).toContain("--bounding-set=-all,+sys_chroot ");
    expect(line({ security })).toContain("--bounding-set=-all ");
  });

  test("an agent that is not root changes no ids; of capabilities it has those of its user namespace", () => {
    const own = { ...securityContext, capabilities: { add: [], drop: ["ALL"] } };
    const user = { uid: 7, gid: 8, groups: [] };
    expect(line({ asRoot: false, mode: "none", security: own }, { user })).toBe("unshare -w /work -- app -x");
    expect(line({ asRoot: false, mode: "user", security: own }, { user })).toBe(
      "setpriv --bounding-set=-all --inh-caps=-all unshare -w /work -- app -x",
    );
  });

  test("who may gain no privileges gains none, as whoever it runs", () => {
    const security = { ...securityContext, privileged: true, noNewPrivs: true };
    expect(line({ asRoot: false, mode: "none", security })).toBe("setpriv --no-new-privs unshare -w /work -- app -x");
    expect(line({ security })).toBe("setpriv --regid 0 --clear-groups --no-new-privs unshare -w /work -- app -x");
  });

  test("variables that no shell exports go by the machine's env(1), those for the linker by the container's", () => {
    const routes = { file: "", outside: ["a.b=1"], inside: ["LD_PRELOAD=x", "LD_BIND_NOW=1"] };
    const entry = entryChain(input({ environment: routes, insideEnv: "/bin/env" }));
    expect(entry.words.join(" ")).toBe(
      "setpriv --regid 0 --clear-groups env -- a.b=1 unshare -w /work -- /bin/env -- LD_PRELOAD=x LD_BIND_NOW=1 app -x",
    );
    expect(entry.words.slice(-entry.own)).toEqual(["/bin/env", "--", "LD_PRELOAD=x", "LD_BIND_NOW=1", "app", "-x"]);
    expect(entryChain(input()).own).toBe(2);
  });

  test("a variable that cannot be set is refused by name, not left out", () => {
    const routes = { file: "", outside: [], inside: ["LD_PRELOAD=x=y"] };
    const refused = (message: string) => expect.objectContaining({ code: "start-error", message });
    expect(() => line({ environment: routes })).toThrow(
      refused("cannot set LD_PRELOAD: the image has no env(1) in its $PATH to set it with"),
    );
    expect(() => line({ environment: routes, insideEnv: "/bin/env" }, { argv: ["a=b"] })).toThrow(
      refused("cannot set LD_PRELOAD for a command with = in its name: a=b"),
    );
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

  test("what the first process is called on the way is known, and does not hold what the program itself is called", () => {
    expect([...setupCommandLines(["setsid", "sh", "app", "-x"], 2)]).toEqual([
      "setsid\0sh\0app\0-x\0",
      "sh\0app\0-x\0",
    ]);
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
