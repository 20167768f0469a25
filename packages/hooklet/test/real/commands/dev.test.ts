/** What `hooklet dev` hears of saves, on a real file system. */
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { temporaryFolder } from "../../../../server/test/start.js";
import { watchFolders } from "../../../src/commands/dev.js";

async function watched() {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "src"));
  await writeFile(join(folder, "src/index.ts"), "1");
  const heard: string[] = [];
  const stop = watchFolders([folder], (file) => heard.push(file));
  const hears = async (file: string): Promise<void> => {
    for (let tries = 0; tries < 200 && !heard.includes(file); tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect(heard).toContain(file);
    heard.length = 0;
  };
  const replace = async (file: string): Promise<void> => {
    await writeFile(join(folder, "new~"), "2");
    await rename(join(folder, "new~"), join(folder, file));
  };
  return { folder, heard, stop, hears, replace };
}

test("each save is heard, in place and by an editor that replaces the file, however often", async () => {
  const { folder, stop, hears, replace } = await watched();
  await writeFile(join(folder, "src/index.ts"), "in place");
  await hears("src/index.ts");
  for (let times = 0; times < 3; times += 1) {
    await replace("src/index.ts");
    await hears("src/index.ts");
  }
  await writeFile(join(folder, "src/index.ts"), "in place again");
  await hears("src/index.ts");
  stop();
});

test("a folder that is new is watched; what is built, what editors leave and the output is not", async () => {
  const { folder, heard, stop, hears } = await watched();
  await mkdir(join(folder, "lib"));
  await hears("lib");
  await writeFile(join(folder, "lib/a.ts"), "1");
  await hears("lib/a.ts");
  await mkdir(join(folder, "dist"));
  await writeFile(join(folder, "src/.index.ts.swp"), "1");
  await writeFile(join(folder, "dev.log"), "1");
  await writeFile(join(folder, "src/b.ts"), "1");
  await hears("src/b.ts");
  expect(heard.filter((file) => /dist|swp|log/.test(file))).toEqual([]);
  stop();
});
