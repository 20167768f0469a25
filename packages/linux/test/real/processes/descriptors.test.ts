import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import path from "node:path";
import { expect, test } from "@jest/globals";

const built = path.resolve(import.meta.dirname, "../../../dist/processes/descriptors.js");

/** What a child of a process that was started with descriptor 30 has open, before and after. */
async function childrensFiles(): Promise<string> {
  const script = `
    import { spawnSync } from "node:child_process";
    import { closeInheritedDescriptors } from ${JSON.stringify(built)};
    const open = () => spawnSync("sh", ["-c", "test -e /proc/self/fd/30 && echo open || echo closed"], { encoding: "utf8" }).stdout;
    const before = open();
    const closed = closeInheritedDescriptors();
    process.stdout.write(before + open() + closed.includes(30) + closeInheritedDescriptors().length);`;
  const file = openSync("/etc/hostname", "r");
  try {
    // Node itself closes what is handed down with small numbers.
    const stdio = ["ignore", "pipe", "inherit", ...Array.from({ length: 27 }, () => "ignore" as const), file] as const;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: [...stdio] });
    let text = "";
    child.stdout?.on("data", (data: Buffer) => {
      text += data.toString();
    });
    await once(child, "close");
    return text;
  } finally {
    closeSync(file);
  }
}

test("a descriptor that was handed down is closed, and no child has it", async () => {
  expect(await childrensFiles()).toBe("open\nclosed\ntrue0");
});
