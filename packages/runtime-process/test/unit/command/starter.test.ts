/** What containers are started through. The starter script is one here that keeps what it gets. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VirtualClock } from "@hooklet/testkit";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { installScripts, type Scripts } from "../../../src/command/scripts.js";
import { Starter } from "../../../src/command/starter.js";
import type { Toolbox } from "../../../src/command/toolbox.js";
import { findByCommand } from "../../../src/proc/members.js";
import { until } from "../../node.js";

let folder: string;
let starter: Starter;
let clock: VirtualClock;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hooklet-starter-"));
  clock = new VirtualClock();
  starter = starterWith({});
});
afterEach(async () => {
  starter.close();
  // One that is just ending may write into it.
  await until("all should end", () => findByCommand(folder).length === 0);
  rmSync(folder, { recursive: true, force: true });
});

const place = (name: string) => join(folder, name);

function starterWith({ sh = "/bin/sh", end = "" }): Starter {
  const tools = {
    sh,
    setsid: "/setsid",
    unshare: "/unshare",
    mount: "/mount",
    umount: "/umount",
  } as unknown as Toolbox;
  const script = `echo "$@" >>${place("begun")}; while read -r line; do echo "$line" >>${place("lines")}; ${end}\ndone; true >${place("ended")}`;
  writeFileSync(place("starter.sh"), script);
  return new Starter(tools, { starter: place("starter.sh"), shim: "/shim" } as unknown as Scripts, "/outputs", clock);
}
const start = (id: string, more: object = {}) =>
  starter.start({ id, file: place(id), words: ["/a", "b c"], cgroups: ["/g/procs"], kind: "plain", ...more });
const read = (name: string): string => {
  try {
    return readFileSync(place(name), "utf8");
  } catch {
    return "";
  }
};

test("one process starts all containers: it gets a line for each, and finds the words in a file of the agent's own", async () => {
  await start("one");
  await start("two", { kind: "pids", words: [], cgroups: [] });
  await until("both lines should come", () => read("lines").split("\n").length === 3);
  expect(read("lines")).toBe(`plain one ${place("one")}\npids two ${place("two")}\n`);
  expect(read("begun")).toBe(
    "/setsid /unshare /bin/sh /shim /outputs /mount /umount size=67108864,mode=1777,nosuid,nodev,noexec\n",
  );
  expect(["one", "one.cgroups", "two", "two.cgroups"].map(read)).toEqual(["/a\nb c\n", "/g/procs\n", "", ""]);
  expect(["one", "one.cgroups"].map((name) => statSync(place(name)).mode & 0o777)).toEqual([0o600, 0o600]);
});

test.each([
  { what: "a file", more: { file: "a\nb" }, found: "a\nb" },
  { what: "a word", more: { words: ["x", "c\nd"] }, found: "c\nd" },
  { what: "a cgroup", more: { cgroups: ["/x", "e\n"] }, found: "e\n" },
])("$what of more than one line is refused: it would be taken for several", async ({ more, found }) => {
  await expect(start("one", more)).rejects.toMatchObject({
    code: "invalid-argument",
    message: `${found}: expected a path of one line`,
  });
  expect(read("begun")).toBe("");
});

test("a starter that has gone is replaced by the next start", async () => {
  starter = starterWith({ end: "exit 0" });
  await start("one");
  await until("the next start should find another", async () => {
    await start("two").catch(() => undefined);
    return read("begun").split("\n").length >= 3;
  });
});

describe("the /dev/shm of a pod", () => {
  /** The real script; mount(8) and umount(8) are ones that say how they were called, and fail below a folder "bad". */
  const withTools = async (): Promise<Starter> => {
    const tool = place("tool");
    writeFileSync(
      tool,
      `#!/bin/sh\necho "$@" >>${place("calls")}\ncase $* in */bad*) echo "bad  folder:\n no *"; exit 32; esac\n`,
    );
    chmodSync(tool, 0o755);
    const tools = {
      sh: "/bin/sh",
      setsid: "/setsid",
      unshare: "/unshare",
      mount: tool,
      umount: tool,
    } as unknown as Toolbox;
    return new Starter(tools, await installScripts(folder), place("outputs"), clock);
  };

  test("the starter mounts and unmounts it, and reports what the tool says when it fails", async () => {
    starter = await withTools();
    const answers = await Promise.allSettled([
      starter.mountShm("/a folder/one"),
      starter.mountShm("/bad/two"),
      starter.unmountShm("/a folder/one"),
    ]);
    expect(answers.map((answer) => (answer.status === "rejected" ? (answer.reason as unknown) : "done"))).toEqual([
      "done",
      expect.objectContaining({ code: "unknown", message: "/dev/shm of a pod: bad folder: no *" }),
      "done",
    ]);
    expect(read("calls").split("\n").slice(0, 3)).toEqual([
      expect.stringMatching(/^-c -t tmpfs -o size=67108864\S+ shm \/a folder\/one$/) as unknown,
      expect.stringMatching(/ shm \/bad\/two$/) as unknown,
      "-c -l /a folder/one",
    ]);
  });

  test("a folder of more than one line is refused", async () => {
    await expect(starter.mountShm("/a\n/b")).rejects.toMatchObject({ code: "invalid-argument" });
  });

  test("a starter that ends before it answers is an error, and the next call finds another one", async () => {
    starter = starterWith({
      end: `if test -e ${place("once")}; then echo 0; else true >${place("once")}; exit 0; fi`,
    });
    await expect(starter.mountShm("/one")).rejects.toMatchObject({
      code: "unavailable",
      message: "the starter of containers has gone: it ended",
    });
    await starter.mountShm("/two");
  });

  test("a starter that does not answer for 30 s is killed", async () => {
    const asked = starter.mountShm("/one");
    asked.catch(() => undefined);
    await until("the line should come", () => read("lines") !== "");
    await clock.advance(30_000);
    await expect(asked).rejects.toMatchObject({
      code: "unavailable",
      message: "the starter of containers has gone: no answer within 30 s",
    });
    await until("it should be gone", () => findByCommand(folder).length === 0);
  });
});

test("the starter ends with the runtime, and its next one is another", async () => {
  await start("one");
  starter.close();
  await until("it should end", () => statSync(place("ended"), { throwIfNoEntry: false }) !== undefined);
  await start("two");
  await until("another should begin", () => read("begun").split("\n").length === 3);
  await until("the first should be gone", () => findByCommand(folder).length === 1);
  await start("three");
  await until("the line should come", () => read("lines").split("\n").length === 4);
  expect(read("begun").split("\n")).toHaveLength(3);
});

test("where no process can be started the error says so, and the next start tries again", async () => {
  starter = starterWith({ sh: place("sh") });
  for (let turn = 0; turn < 2; turn++)
    await expect(start("one")).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(`^cannot start ${place("sh")}: .*ENOENT`) as unknown,
    });
});
