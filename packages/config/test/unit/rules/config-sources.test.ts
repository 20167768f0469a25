import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { z } from "zod";
import type { NodePlugin } from "../../../../core/src/plugin/contract.js";
import { faultsOf, load, type Setup } from "../../fixture.js";

const queue: NodePlugin = {
  meta: { name: "queue", api: 1 },
  options: z.strictObject({ tokenFile: z.string(), prefix: z.string().default("pods") }),
  start() {},
};
const build = {
  modules: { "@here/queue": queue },
  sourcePlugins: { queue: { specifier: "@here/queue", description: "a queue", files: ["tokenFile"] } },
} satisfies Setup;

const rc = (text: string): Setup => ({ ...build, files: { ".hookletrc": text } });

describe("a key of sources that belongs to a plugin", () => {
  test("without it the plugin does not run", async () => {
    expect((await load(build)).config.plugins).toEqual([]);
  });

  test("its options go to the plugin, files found from the rc file, and every setting has its line", async () => {
    const { folder, config } = await load(rc("sources:\n  queue:\n    tokenFile: ./token\n    prefix: a"));
    expect(config.plugins.map(({ plugin, options }) => [plugin.meta.name, options])).toEqual([
      ["queue", { tokenFile: join(folder, "token"), prefix: "a" }],
    ]);
    expect(config.sources).not.toHaveProperty("queue");
    const settings = config.effective.filter(({ path }) => path.includes("queue"));
    expect(settings.map(({ path, origin }) => [path, origin.replace(`${folder}/`, "")])).toEqual([
      ["plugins.queue", ".hookletrc:2"],
      ["plugins.queue.tokenFile", ".hookletrc:3"],
      ["plugins.queue.prefix", ".hookletrc:4"],
    ]);
  });

  test("a flag sets an option, relative to the working directory, and is its origin", async () => {
    const flag = { flag: "--queue-token", source: "queue", option: "tokenFile", file: "t" };
    const { folder, config } = await load({ ...build, flags: { sources: [flag] } });
    expect(config.plugins[0]?.options).toEqual({ tokenFile: join(folder, "t"), prefix: "pods" });
    expect(config.effective.find(({ path }) => path.endsWith("tokenFile"))?.origin).toBe("--queue-token");
  });

  test("what the plugin does not know is a fault at its place", async () => {
    const [fault] = await faultsOf(rc("sources:\n  queue: { tokenFile: t, prefx: a }"));
    expect(fault).toMatchObject({ file: ".hookletrc", line: 2, path: "sources.queue.prefx" });
  });

  test("null is none, and an unknown key is a fault", async () => {
    expect((await load(rc("sources: { queue: null }"))).config.plugins).toEqual([]);
    const [fault] = await faultsOf(rc("sources: { queu: {} }"));
    expect(fault).toMatchObject({ file: ".hookletrc", path: "sources.queu" });
  });
});
