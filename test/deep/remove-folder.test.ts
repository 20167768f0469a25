/** What scripts remove with a folder of theirs, and what they leave: with mounts, in a separate mount namespace. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { root } from "../sources.js";

const run = promisify(execFile);
const asRoot = process.platform === "linux" && process.getuid?.() === 0;
if (!asRoot && process.env.HOOKLET_TEST_REQUIRE) throw new Error("HOOKLET_TEST_REQUIRE is set, but mounts need root");

const remove = `import(${JSON.stringify(path.join(root, "scripts/machine.mjs"))}).then(({ removeFolder }) => removeFolder("work"))`;

/** Removes `work` between the shell lines; what was printed, or the error's text. */
async function removed(lines: string, after = ":"): Promise<string> {
  const shell = `${lines}\n"$0" -e "$1"\n${after}`;
  const words = ["--mount", "--propagation", "private", "sh", "-ec", shell, process.execPath, remove];
  return run("unshare", words, { cwd: folder }).then(
    ({ stdout, stderr }) => `${stdout}${stderr}`,
    ({ stderr }: { stderr: string }) => stderr,
  );
}

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hooklet-remove-"));
  await mkdir(path.join(folder, "others"));
  await writeFile(path.join(folder, "others/file"), "kept");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const others = (): Promise<string> => readFile(path.join(folder, "others/file"), "utf8");

(asRoot ? describe : describe.skip)("a folder that is removed", () => {
  test("takes along what is below it", async () => {
    await mkdir(path.join(folder, "work/deep"), { recursive: true });
    expect(await removed("mount -t tmpfs tmpfs work/deep")).toBe("");
    expect(existsSync(path.join(folder, "work"))).toBe(false);
  });

  test("does not empty what is bound into it, of the same disk", async () => {
    await mkdir(path.join(folder, "work/bound"), { recursive: true });
    expect(await removed("mount --bind others work/bound")).toBe("");
    expect([existsSync(path.join(folder, "work")), await others()]).toEqual([false, "kept"]);
  });

  test("is refused when it is a link", async () => {
    await symlink("others", path.join(folder, "work"));
    expect(await removed(":")).toContain("work is a link: expected a folder");
    expect([existsSync(path.join(folder, "work")), await others()]).toEqual([true, "kept"]);
  });

  test("takes no mount from what is bound into it whole, with all that is mounted there", async () => {
    await mkdir(path.join(folder, "work/bound"), { recursive: true });
    await mkdir(path.join(folder, "others/mounted"));
    const lines = [
      "mount --bind others others",
      "mount --make-shared others",
      "mount -t tmpfs tmpfs others/mounted",
      "touch others/mounted/file",
      "mount --rbind others work/bound",
    ];
    expect(await removed(lines.join("\n"), "ls others/mounted")).toBe("file\n");
    expect(existsSync(path.join(folder, "work"))).toBe(false);
  });
});
