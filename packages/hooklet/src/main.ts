import { readFile } from "node:fs/promises";
import { main } from "@hooklet/cli";
import { defaultPlugins, sourcePlugins } from "./default-plugins.js";
import { program } from "./program.js";

/** Runs one command line (without node and script); resolves with its exit code once all output is written. */
export async function run(argv: readonly string[]): Promise<number> {
  // `hooklet logs | head`: the reader is gone, so there is nothing left to do.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (!isHangup(error)) process.exit(error.code === "EPIPE" ? 0 : 1);
  });
  process.stderr.on("error", (error: NodeJS.ErrnoException) => {
    if (!isHangup(error)) process.exit(1);
  });
  const host = { url: import.meta.url, plugins: defaultPlugins, sourcePlugins };
  const code = await main(argv, program(await version(), host));
  await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
  return code;
}

/** The terminal was closed: what is under way ends in order, unheard. */
function isHangup({ code }: NodeJS.ErrnoException): boolean {
  return code === "EIO" || code === "ENOTCONN";
}

async function version(): Promise<string> {
  const text = await readFile(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed) resolve();
    else stream.write("", () => resolve());
  });
}
