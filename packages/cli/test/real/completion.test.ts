import { spawnSync } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { temporaryFolder } from "../../../server/test/start.js";
import { hooklet } from "../cli.js";

describe("the script for bash", () => {
  /** What bash completes of a line, with a `hooklet` that answers with these words and tells what it was asked. */
  async function completed(line: string, ...answers: readonly string[]): Promise<{ words: string[]; asked: string[] }> {
    const { out: script } = await hooklet("completion bash");
    const folder = await temporaryFolder();
    const asked = join(folder, "asked");
    const program = `
      hooklet() { printf '%s\\n' "\${@:3}" > ${asked}; printf '%s\\tabout it\\n' ${answers.join(" ")}; echo :4; }
      ${script}
      ${script}
      COMP_LINE=$1 COMP_POINT=\${#1}
      __hooklet_complete
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync("bash", ["--norc", "--noprofile", "-c", program, "bash", line], {
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    return { words: stdout.trimEnd().split("\n"), asked: (await readFile(asked, "utf8")).trimEnd().split("\n") };
  }

  test("is sourced twice without a word, and needs no package", async () => {
    expect(await completed("hooklet logs w", "web", "worker", "db")).toEqual({
      words: ["web", "worker"],
      asked: ["logs", "w"],
    });
  });

  test("words with : and = are completed from there, as bash wants it", async () => {
    expect((await completed("hooklet image rm web:", "web:1", "web:2")).words).toEqual(["1", "2"]);
    expect((await completed("hooklet get pods -o=js", "json", "yaml")).words).toEqual(["json"]);
  });

  test("nothing of the command line is run", async () => {
    const folder = await temporaryFolder();
    await completed(`hooklet logs $(touch ${folder}/run) \`touch ${folder}/run\` w`, "web");
    expect(await readdir(folder)).toEqual([]);
  });
});
