import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { aPod } from "../../../server/test/samples.js";
import { startFake } from "../../../server/test/start.js";
import { type Context, socketPath } from "../../src/context.js";
import { tell } from "../../src/io.js";
import { outputFormat } from "../../src/print/output-format.js";
import { type Kind, showAll } from "../../src/show.js";
import { fakeIo, hooklet } from "../cli.js";

test("version is one line", async () => {
  expect(await hooklet("version")).toEqual({ code: 0, out: "hooklet 1.2.3\n", err: "" });
  expect(await hooklet("--version")).toEqual({ code: 0, out: "1.2.3\n", err: "" });
});

test.each([
  { words: "gte pods", near: "get" },
  { words: "get pods --namspace x", near: "--namespace" },
  { words: "get pods -o jsn", near: "json" },
  { words: "image lst", near: "list" },
])("$words: did you mean $near?", async ({ words, near }) => {
  const { code, out, err } = await hooklet(words);
  expect([code, out]).toEqual([1, ""]);
  expect(err).toContain(near);
});

test("what a server says does not steer the terminal", async () => {
  const io = fakeIo();
  await tell(io, "warning: \u001b[2Jnothing\rgone");
  expect(io.stderr.text).toBe("warning: ^[[2Jnothing\\rgone\n");
});

test("what others wrote steers no terminal in any format, also behind a pipe, and is whole as JSON", async () => {
  const hostile = "\u001b[2J\u009b2J\u202egone\r";
  const kind: Kind<string> = {
    name: (item) => `pod/${item}`,
    object: (message) => ({ message }),
    rows: (items) => ({ head: ["MESSAGE"], rows: items.map((item) => [item]) }),
  };
  const printed = async (text: string, isTTY: boolean): Promise<string> => {
    const io = fakeIo();
    Object.assign(io.stdout, { isTTY });
    const format = outputFormat(text);
    await showAll({ io } as unknown as Context, kind, [hostile], { format, headers: true, single: true, nothing: "" });
    return io.stdout.text;
  };
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
  const steering = /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]/;
  for (const format of ["", "json", "yaml", "name", "jsonpath={.message}", "custom-columns=M:.message"])
    expect(await printed(format, true)).not.toMatch(steering);
  for (const format of ["name", "jsonpath={.message}"]) expect(await printed(format, false)).not.toMatch(steering);
  expect(JSON.parse(await printed("json", true))).toEqual({ message: hostile });
});

test("without an agent every command that needs one says so in one sentence and ends with 1", async () => {
  const { code, out, err } = await hooklet("get pods", fakeIo({ HOOKLET_SOCKET: "/nonexistent/s" }));
  expect([code, out]).toEqual([1, ""]);
  expect(err).toMatch(/^error: No agent answers on \/nonexistent\/s [^\n]*\n$/);
});

test.each([
  {
    name: "--socket wins over all",
    global: { socket: "x.sock", rootDir: "/r" },
    env: { HOOKLET_SOCKET: "/e" },
    path: "/x.sock",
  },
  {
    name: "--root-dir wins over the environment",
    global: { rootDir: "/r" },
    env: { HOOKLET_SOCKET: "/e" },
    path: "/r/hooklet.sock",
  },
  { name: "HOOKLET_SOCKET", global: {}, env: { HOOKLET_SOCKET: "/e" }, path: "/e" },
])("the agent is found by $name", ({ global, env, path }) => {
  expect(socketPath({ io: fakeIo(env), version: "1.2.3", global })).toBe(path);
});

test("global options may stand before and behind the command", async () => {
  const { api, socket } = await startFake();
  api.setPods([aPod("web")]);
  expect((await hooklet(["--socket", socket, "get", "pods"])).code).toBe(0);
  expect((await hooklet(["get", "pods", "--socket", socket])).code).toBe(0);
  expect((await hooklet(["get", "pods", "--root-dir", join(socket, "..")])).code).toBe(0);
});
