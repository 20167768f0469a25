import { errorText } from "@hooklet/utils";
import { type Context, withAgent } from "../context.js";
import { printLine, tell } from "../io.js";
import { toText } from "../print/object-text.js";

export interface VersionOptions {
  readonly output?: "json" | "yaml";
}

/** `hooklet version`: one line; as an object also the agent's version, as kubectl has the server's. */
export async function showVersion(context: Context, { output }: VersionOptions): Promise<number> {
  const { io, version } = context;
  if (output === undefined) {
    await printLine(io.stdout, `hooklet ${version}`);
    return 0;
  }
  const platform = `${process.platform}/${process.arch}`;
  const clientVersion = { version, nodeVersion: process.version, platform };
  let agent: object = {};
  try {
    await withAgent(context, async (client) => {
      agent = { agentVersion: await client.version() };
      return 0;
    });
  } catch (error) {
    await tell(io, `warning: ${errorText(error)}`);
  }
  await printLine(io.stdout, await toText({ clientVersion, ...agent }, output));
  return 0;
}
