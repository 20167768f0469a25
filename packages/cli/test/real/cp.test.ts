import { spawn } from "node:child_process";
import { lstat, mkdir, mkdtemp, readFile, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { pack } from "tar-stream";
import { FakeAgent } from "../../../server/test/fake-agent.js";
import { aPod } from "../../../server/test/samples.js";
import { type ExecScript, scripted } from "../../../server/test/scripted-exec.js";
import { startFake, temporaryFolder } from "../../../server/test/start.js";
import { parsePlace } from "../../src/commands/cp.js";
import { fakeIo, hooklet, type Result } from "../cli.js";

/** Containers that are processes of this machine: tar is the real one. */
const onThisMachine: ExecScript = ([file = "", ...words], output) => {
  const child = spawn(file, words);
  child.stdout.on("data", (data: Buffer) => output("stdout", data));
  child.stderr.on("data", (data: Buffer) => output("stderr", data));
  return {
    exitCode: new Promise((resolve) => child.on("close", (code) => resolve(code ?? 137))),
    write: (data) => void child.stdin.write(data),
    endInput: () => void child.stdin.end(),
    resize: () => undefined,
    abort: () => void child.kill("SIGKILL"),
  };
};

async function node(script = onThisMachine): Promise<(words: readonly string[]) => Promise<Result>> {
  const api = new FakeAgent();
  api.execScript = script;
  const { socket } = await startFake(api);
  api.setPods([aPod("web")]);
  return (words) => hooklet(words, fakeIo({ HOOKLET_SOCKET: socket }));
}

/** A container that answers with this archive, whatever it is asked. */
async function archive(entries: readonly { readonly name: string }[]): Promise<ExecScript> {
  const tar = pack();
  for (const entry of entries) tar.entry({ mode: 0o644, ...entry }, "theirs");
  tar.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of tar as unknown as AsyncIterable<Buffer>) chunks.push(chunk);
  const script: ExecScript = (_command, output) => {
    output("stdout", Buffer.concat(chunks));
    return { ...scripted(() => Buffer.alloc(0), 0)([], output), exitCode: Promise.resolve(0) };
  };
  return script;
}

/** What GNU tar writes before an entry with a long name, of so many bytes. */
function longName(bytes: number): Buffer {
  const header = Buffer.alloc(512);
  header.write("././@LongLink", 0);
  header.write("0000644", 100);
  header.write(bytes.toString(8).padStart(11, "0"), 124);
  header.write("        L", 148);
  header.write("ustar  ", 257);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

test("a tar in the container that ends at once ends the copying, however much there is to send", async () => {
  const run = await node((words, output) => {
    if (words[0] !== "tar") return onThisMachine(words, output);
    output("stderr", Buffer.from("tar: not found"));
    return {
      exitCode: Promise.resolve(127),
      write: () => undefined,
      endInput: () => undefined,
      resize: () => undefined,
      abort: () => undefined,
    };
  });
  const big = join(await temporaryFolder(), "big");
  await writeFile(big, Buffer.alloc(64 * 2 ** 20));
  expect(await run(["cp", big, "web:/tmp/big"])).toMatchObject({
    code: 1,
    err: expect.stringContaining("cp needs tar"),
  });
});

describe("places", () => {
  test.each([
    ["web:/etc/hosts", { kind: "remote", pod: { name: "web", namespace: "default" }, path: "/etc/hosts" }],
    ["kube-system/dns:/x", { kind: "remote", pod: { name: "dns", namespace: "kube-system" }, path: "/x" }],
    ["pod/web:x", { kind: "remote", pod: { name: "web", namespace: "default" }, path: "x" }],
    ["./a:b", { kind: "local", path: "./a:b" }],
    ["/a:b", { kind: "local", path: "/a:b" }],
    ["file", { kind: "local", path: "file" }],
  ])("%s", (text, place) => expect(parsePlace(text, "default")).toEqual(place));
});

describe("into a container", () => {
  test("a folder goes with all that is in it, under its new name or into a folder that is there", async () => {
    const run = await node();
    const [here, there] = [await temporaryFolder(), await temporaryFolder()];
    await mkdir(join(here, "site/sub"), { recursive: true });
    await writeFile(join(here, "site/index"), "hello", { mode: 0o640 });
    await writeFile(join(here, "site/sub/empty"), "");
    await symlink("index", join(here, "site/link"));
    expect(await run(["cp", join(here, "site"), `web:${there}/www`])).toEqual({ code: 0, out: "", err: "" });
    expect(await readFile(join(there, "www/index"), "utf8")).toBe("hello");
    expect(await readFile(join(there, "www/link"), "utf8")).toBe("hello");
    expect((await lstat(join(there, "www/index"))).mode & 0o777).toBe(0o640);
    expect((await run(["cp", join(here, "site/index"), `web:${there}/www/sub`])).code).toBe(0);
    expect(await readFile(join(there, "www/sub/index"), "utf8")).toBe("hello");
  });

  test("what tar says is handed on", async () => {
    const run = await node();
    const file = join(await temporaryFolder(), "file");
    await writeFile(file, "x");
    const { code, err } = await run(["cp", file, "web:/nowhere/at/all/file"]);
    expect(code).toBe(1);
    expect(err).toContain("/nowhere/at/all");
  });

  test("a file that is not there is named before anything is sent", async () => {
    const run = await node();
    expect((await run(["cp", "/nowhere/file", "web:/tmp/x"])).err).toContain("Cannot read /nowhere/file");
  });
});

describe("out of a container", () => {
  test("a folder comes whole but for links; a file under the name that was asked for", async () => {
    const run = await node();
    const [here, there] = [await temporaryFolder(), await temporaryFolder()];
    await mkdir(join(there, "logs/old"), { recursive: true });
    await writeFile(join(there, "logs/old/1"), "one");
    await symlink("/etc/passwd", join(there, "logs/link"));
    const { code, err } = await run(["cp", `web:${there}/logs`, here]);
    expect([code, err]).toEqual([0, "warning: skipped ./logs/link: a symlink is not copied\n"]);
    expect(await readFile(join(here, "logs/old/1"), "utf8")).toBe("one");
    expect((await run(["cp", `web:${there}/logs/old/1`, join(here, "new/name")])).code).toBe(0);
    expect(await readFile(join(here, "new/name"), "utf8")).toBe("one");
  });

  test.each([
    ["a name with ..", [{ name: "x/../../evil" }]],
    ["another name", [{ name: "y" }]],
    ["an absolute name", [{ name: "/etc/evil" }]],
  ])("%s is refused", async (_, entries) => {
    const run = await node(await archive(entries));
    const here = await mkdtemp(join(tmpdir(), "cp-"));
    expect(await run(["cp", "web:/x", here])).toMatchObject({
      code: 1,
      err: expect.stringContaining("The container answered with"),
    });
  });

  test("a name without end does not fill the memory", async () => {
    const run = await node((_command, output) => {
      output("stdout", longName(2 ** 32));
      for (let piece = 0; piece < 64; piece += 1) output("stdout", Buffer.alloc(64 * 1024, "x"));
      return { ...scripted(() => Buffer.alloc(0), 0)([], output), exitCode: Promise.resolve(0) };
    });
    expect(await run(["cp", "web:/x", await temporaryFolder()])).toMatchObject({
      code: 1,
      err: expect.stringContaining("headers of more than 1048576 bytes"),
    });
  });

  test.each([
    { size: "a negative one", bytes: Buffer.alloc(12, 0xff), error: "Invalid tar header" },
    {
      size: "one beyond every disk",
      bytes: Buffer.from("800000007f7f7f7f7f7f7f7f", "hex"),
      error: "of a size that no file has",
    },
    { size: "none at all", bytes: Buffer.from("zzzzzzzzzzz\0"), error: "of a size that no file has" },
  ])("a file whose size is $size ends the copying", async ({ bytes, error }) => {
    const header = Buffer.alloc(512);
    header.write("x", 0);
    header.write("0000644\0", 100);
    header.set(bytes, 124);
    header.write("00000000000\0        0", 136);
    header.write("ustar\u000000", 257);
    const sum = header.reduce((all, one) => all + one, 0);
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    const run = await node((_command, output) => {
      output("stdout", header);
      for (let piece = 0; piece < 64; piece += 1) output("stdout", Buffer.alloc(64 * 1024, "x"));
      return { ...scripted(() => Buffer.alloc(0), 0)([], output), exitCode: Promise.resolve(0) };
    });
    expect(await run(["cp", "web:/x", await temporaryFolder()])).toMatchObject({
      code: 1,
      err: expect.stringContaining(error),
    });
  });

  test("a link that lies here already leads nowhere", async () => {
    const run = await node(await archive([{ name: "x/out/file" }]));
    const [here, elsewhere] = [await temporaryFolder(), await temporaryFolder()];
    await mkdir(join(here, "x"));
    await symlink(elsewhere, join(here, "x/out"));
    expect(await run(["cp", "web:/x", here])).toMatchObject({
      code: 1,
      err: expect.stringContaining("remove the link"),
    });
    await symlink(join(elsewhere, "target"), join(here, "file"));
    const file = await node(await archive([{ name: "file" }]));
    expect((await file(["cp", "web:/file", here])).code).toBe(1);
    await expect(lstat(join(elsewhere, "target"))).rejects.toThrow("ENOENT");
  });

  test("a container without tar says so", async () => {
    const none: ExecScript = (_command, output) => {
      output("stderr", Buffer.from('exec: "tar": executable file not found in $PATH'));
      return { ...scripted(() => Buffer.alloc(0), 0)([], output), exitCode: Promise.resolve(127) };
    };
    const run = await node(none);
    expect((await run(["cp", "web:/x", "/tmp/cp-none"])).err).toContain("cp needs tar in the container's image");
  });
});

test("two places of one kind are refused", async () => {
  const run = await node();
  expect((await run(["cp", "a", "b"])).err).toContain("exactly one of SRC and DEST must be POD:PATH");
  expect((await run(["cp", "web:/a", "web:/b"])).code).toBe(1);
});
