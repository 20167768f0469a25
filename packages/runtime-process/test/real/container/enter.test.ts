/** What a container's program gets, and which part no root program ever gets. On real containers. */
import { chownSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ContainerConfig } from "@hooklet/core/host";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { securityContext } from "../../../../testkit/src/runtime-suite/configs.js";
import { isRoot } from "../../harness.js";
import { TestNode } from "../../node.js";

const USER = 12345;
let node: TestNode;
beforeAll(async () => {
  node = await TestNode.start();
});
afterAll(() => node.end());

const withEnv = (envs: Readonly<Record<string, string>>): Partial<ContainerConfig> => ({
  envs: Object.entries(envs).map(([key, value]) => ({ key, value })),
});

describe("a container's program has its variables as they were given", () => {
  const given = {
    LD_LIBRARY_PATH: "/nowhere",
    LANGUAGE: "../../x",
    IFS: "x",
    BASH_ENV: "/nowhere",
    PERL5OPT: "-Mnowhere",
    "a.b-c": "=two\nlines\n",
    __hooklet_dir: "own",
    EMPTY: "",
    ü: "é",
  };

  test("with any names, and no others", async () => {
    const id = await node.run(["/usr/bin/env", "-0"], withEnv(given));
    const found = (await node.log(await node.ended(id))).split("\0").slice(0, -1);
    const expected = Object.entries(given).map(([name, value]) => `${name}=${value}`);
    expect(found).toEqual(expect.arrayContaining(expected));
    const others = found.filter((one) => !expected.includes(one)).map((one) => one.split("=")[0]);
    expect(others.sort()).toEqual(expect.arrayContaining(["HOME", "HOSTNAME", "PATH"]));
    expect(others.filter((name) => !["HOME", "HOSTNAME", "PATH", "HOOKLET_CONTAINER_ID"].includes(name ?? ""))).toEqual(
      [],
    );
  });

  test("and so has a further command of it", async () => {
    const id = await node.run(["/bin/sleep", "300"], withEnv(given));
    const { stdout } = await node.runtime.execSync(id, ["/usr/bin/env", "-0"], 10);
    for (const [name, value] of Object.entries(given)) expect(stdout.toString()).toContain(`${name}=${value}\0`);
    await node.runtime.stopContainer(id, 0);
  });

  test("and its words, empty ones and line feeds too", async () => {
    const id = await node.run(["/bin/sh", "-c", 'printf "<%s>" "$@"', "sh", "", "a\nb", "\n", "-x", "'\"$(id)"]);
    expect(await node.log(await node.ended(id))).toBe("<><a\nb><\n><-x><'\"$(id)>");
  });
});

test("a container's program begins with no signal ignored or held back", async () => {
  expect(await node.output("grep -E '^Sig(Ign|Blk)' /proc/self/status")).toBe(
    `SigBlk:\t${"0".repeat(16)}\nSigIgn:\t${"0".repeat(16)}\n`,
  );
});

/** A catalog of messages, as gettext reads it, that says `text` for each of these. */
function catalog(messages: readonly string[], text: string): Buffer {
  const header = "Content-Type: text/plain; charset=UTF-8\n";
  const pairs = [["", header], ...messages.map((message) => [message, text])].sort(([a = ""], [b = ""]) =>
    a < b ? -1 : 1,
  );
  const head = Buffer.alloc(28 + pairs.length * 16);
  [0x950412de, 0, pairs.length, 28, 28 + pairs.length * 8].forEach(
    (value, at) => void head.writeUInt32LE(value, at * 4),
  );
  let offset = head.length;
  const body = [0, 1].flatMap((column) =>
    pairs.map((pair, at) => {
      const word = Buffer.from(`${pair[column]}\0`);
      head.writeUInt32LE(word.length - 1, 28 + (column * pairs.length + at) * 8);
      head.writeUInt32LE(offset, 32 + (column * pairs.length + at) * 8);
      offset += word.length;
      return word;
    }),
  );
  return Buffer.concat([head, ...body]);
}

(isRoot ? describe : describe.skip)("no tool that is root takes its words from a variable of the pod", () => {
  const security = { ...securityContext, runAsUser: USER, capabilities: { add: [], drop: ["ALL"] } };
  const linux = { resources: {}, securityContext: security };

  /** A folder that only the user may enter, and a volume of the pod's whose catalog the pod's variables name. */
  function planted(name: string): Partial<ContainerConfig> {
    const [closed, volume] = [join(node.directory, `${name}-closed`), join(node.directory, `${name}-volume`)];
    mkdirSync(closed, { mode: 0o700 });
    chownSync(closed, USER, USER);
    const messages = join(volume, "e", "LC_MESSAGES");
    mkdirSync(messages, { recursive: true });
    const all = ["cannot chdir to '%s'", "failed to execute %s", "unknown capability '%s'", "chdir to '%s' failed"];
    writeFileSync(join(messages, "util-linux.mo"), catalog(all, "PWNED %p"));
    return {
      linux,
      mounts: [node.mount(closed, "/closed")],
      workingDir: "/closed",
      ...withEnv({ LANG: "C.UTF-8", LANGUAGE: `../../..${volume}/e` }),
    };
  }

  test("not when a container starts in a folder that only its user may enter", async () => {
    const id = await node.run(["/bin/sh", "-c", "pwd; id -u"], planted("start"));
    expect(await node.log(await node.ended(id))).toBe(`/closed\n${USER}\n`);
  });

  test("not when a probe runs there", async () => {
    const id = await node.run(["/bin/sleep", "300"], planted("exec"));
    const { stdout, stderr } = await node.runtime.execSync(id, ["pwd"], 10);
    expect([stdout.toString(), stderr.toString()]).toEqual(["/closed\n", ""]);
    await node.runtime.stopContainer(id, 0);
  });

  test("not when a capability has a name that the kernel does not know: the container is refused", async () => {
    const capabilities = { add: ["EVIL"], drop: [] };
    const changes = {
      ...planted("capability"),
      linux: { resources: {}, securityContext: { ...security, capabilities } },
    };
    const refusal = { code: "invalid-argument", message: expect.stringContaining('"EVIL"') as unknown };
    await expect(node.create(["/bin/true"], changes)).rejects.toMatchObject(refusal);
  });

  test("a folder that its user may not enter is an error of the start, in hooklet's words", async () => {
    const closed = join(node.directory, "others");
    mkdirSync(closed, { mode: 0o700 });
    const mounts = [node.mount(closed, "/others")];
    // Root of the set-up may enter what is root's, as in runc.
    expect(await node.output("pwd", { linux, mounts, workingDir: "/others" })).toBe("/others\n");
    chownSync(closed, USER + 1, USER + 1);
    await expect(node.sh("pwd", { linux, mounts, workingDir: "/others" })).rejects.toMatchObject({
      code: "start-error",
      message: 'exec: "/bin/sh": chdir /others: permission denied',
    });
  });
});
