/** Which command is found in a container's root, and what is said of one that is not. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { type CommandRequest, checkCommandIn } from "../../../src/rootfs/prepare-root.js";

const root = mkdtempSync(join(tmpdir(), "hooklet-command-"));
afterAll(() => rmSync(root, { recursive: true }));
function file(name: string, mode: number): void {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), "");
  chmodSync(join(root, name), mode);
}
for (const name of ["bin/app", "usr/local/sbin/own", "opt/tool", "srv/run"]) file(name, 0o755);
for (const name of ["bin/text", "opt/app"]) file(name, 0o644);
file("bin/group", 0o610);
mkdirSync(join(root, "bin/folder"));

const check = (command: string, more: Partial<CommandRequest> = {}) =>
  checkCommandIn({ root, command, env: [], workingDir: "/", ...more });
const PATH = (value: string) => ({ env: [["PATH", value]] as const });

test.each<readonly [string, string, Partial<CommandRequest>]>([
  ["by its path", "/bin/app", {}],
  ["by its path from the working directory", "./run", { workingDir: "/srv" }],
  ["that its group alone may run", "/bin/group", {}],
  ["in the usual folders", "app", {}],
  ["in the first of the usual folders", "own", {}],
  ["in the folders of PATH", "tool", PATH("/none:/opt")],
  ["in a folder of PATH from the working directory", "tool", { workingDir: "/opt", ...PATH("") }],
  ["past a file of its name that is no program", "app", PATH("/opt:/bin")],
  [
    "by the last PATH of several",
    "tool",
    {
      env: [
        ["PATH", "/none"],
        ["PATH", "/opt"],
        ["OTHER", "/none"],
      ],
    },
  ],
])("a command is found %s", (_name, command, more) => check(command, more));

test.each<readonly [string, string, Partial<CommandRequest>, string]>([
  ["missing at its path", "/bin/none", {}, "stat /bin/none: no such file or directory"],
  ["missing in the working directory", "./app", { workingDir: "/srv" }, "stat ./app: no such file or directory"],
  ["a directory", "/bin/folder", {}, "is a directory"],
  ["no program", "/bin/text", {}, "permission denied"],
  ["in none of the folders", "none", {}, "executable file not found in $PATH"],
  ["outside of PATH", "app", PATH("/srv"), "executable file not found in $PATH"],
  ["a folder in PATH", "folder", {}, "executable file not found in $PATH"],
  ["no program in PATH", "text", {}, "executable file not found in $PATH"],
  ["empty", "", PATH("/bin/app"), "executable file not found in $PATH"],
])("a command is refused that is %s", (_name, command, more, why) => {
  const message = `exec: ${JSON.stringify(command)}: ${why}`;
  expect(() => check(command, more)).toThrow(expect.objectContaining({ code: "start-error", message }));
});
