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

test.each([{}, { PATH: "" }, { PATH: ":/bin:" }])(
  "with %j a command of the working folder is not one that a shell finds, nor is one without a folder of commands",
  (path) => {
    const given = { socket: defaultSocket, defaultSocket, program };
    const exists = there("hooklet", "/home/me/hooklet/node_modules/.bin/hooklet");
    expect(exportsFor({ env: path }, given, exists)).toBe("PATH=/home/me/hooklet/node_modules/.bin:$PATH");
    expect(exportsFor({ env: path }, given, there("hooklet"))).toBeUndefined();
  },
);

test.each([
  [{ HOME: "/" }, "/s/hooklet.sock"],
  [{ HOME: "/s/hook" }, "/s/hooklet.sock"],
  [{ HOME: "/s" }, "~/hooklet.sock"],
  [{}, "/s/hooklet.sock"],
])("of %j the home folder alone is written as ~: %s", (home, text) => {
  const given = { socket: "/s/hooklet.sock", defaultSocket, program };
  expect(exportsFor({ env: { ...home, PATH: "/bin" } }, given, there("/bin/hooklet"))).toBe(`HOOKLET_SOCKET=${text}`);
});
