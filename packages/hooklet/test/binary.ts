/** The binary's command line in process, without plugins. */
import { fakeIo, hooklet as inProcess, type Result } from "../../cli/test/cli.js";
import type { Distribution } from "../src/agent-context.js";
import { program } from "../src/program.js";

export { eventually, type FakeIo, fakeIo, type Result } from "../../cli/test/cli.js";

export const host: Distribution = { url: import.meta.url, plugins: [] };

/** One command line; `words` split at blanks unless given as a list. */
export function hooklet(words: string | readonly string[], io = fakeIo(), by = host): Promise<Result> {
  return inProcess(words, io, program("1.2.3", by));
}
