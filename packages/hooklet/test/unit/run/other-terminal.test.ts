import { expect, test } from "@jest/globals";
import { exportsFor } from "../../../src/run/other-terminal.js";

const program = "/home/me/hooklet/packages/hooklet/bin/hooklet.js";
const defaultSocket = "/home/me/.local/state/hooklet/hooklet.sock";
const there =
  (...paths: readonly string[]) =>
  (path: string) =>
    paths.includes(path);
const env = { HOME: "/home/me", PATH: "/usr/bin:/bin" };

test("from a clone: the folder of its command, and the socket", () => {
  const socket = "/home/me/hooklet/.hooklet/hooklet.sock";
  const exists = there("/home/me/hooklet/node_modules/.bin/hooklet");
  expect(exportsFor({ env }, { socket, defaultSocket, program }, exists)).toBe(
    "PATH=~/hooklet/node_modules/.bin:$PATH HOOKLET_SOCKET=~/hooklet/.hooklet/hooklet.sock",
  );
});

test("installed, with the default socket: nothing", () =>
  expect(
    exportsFor({ env }, { socket: defaultSocket, defaultSocket, program }, there("/usr/bin/hooklet")),
  ).toBeUndefined());

test("a path that a shell would take apart is quoted", () =>
  expect(exportsFor({ env }, { socket: "/a b/it's.sock", defaultSocket, program }, there("/usr/bin/hooklet"))).toBe(
    "HOOKLET_SOCKET='/a b/it'\\''s.sock'",
  ));
