import { namespacedName, type Pod } from "@hooklet/manifest";
import { isNodeAgentError, sleep } from "@hooklet/utils";
import { type Context, withAgent } from "../context.js";
import { printLine, tell } from "../io.js";

/** Milliseconds. */
const PATIENCE = 60_000;
const EVERY = 50;
/** How the agent begins the event of a reload that did not start. */
const FAILED = "reload: the agent did not start";

/** @param before the pods as they were. Names those that the new configuration ended. */
export function reloadedText(before: readonly Pod[], after: readonly Pod[]): string {
  const failed = new Set(before.flatMap(({ metadata, status }) => (status?.phase === "Failed" ? [metadata.uid] : [])));
  const ended = after.filter(({ metadata, status }) => status?.phase === "Failed" && !failed.has(metadata.uid));
  if (ended.length === 0) return "The agent has reloaded its configuration; the pods run on.";
  const names = ended.map(({ metadata, status }) => `${namespacedName(metadata)} (${status?.reason ?? "Failed"})`);
  return `The agent has reloaded its configuration. It ended ${ended.length === 1 ? "a pod" : `${ended.length} pods`}: ${names.join(", ")}. The others run on.`;
}

/** `hooklet reload`: returns once an agent with the rc file as it is now answers. */
export function reload(context: Context): Promise<number> {
  return withAgent(context, async (client) => {
    const { io } = context;
    const [before, pods] = await Promise.all([client.node(), client.pods()]);
    await client.reload();
    const until = io.clock.monotonic() + PATIENCE;
    for (;;) {
      await sleep(io.clock, EVERY);
      const node = await client.node().catch((error: unknown) => {
        if (!isNodeAgentError(error, "AGENT_NOT_RUNNING")) throw error;
        return undefined;
      });
      if (node !== undefined && node.startedAt !== before.startedAt) break;
      if (io.clock.monotonic() < until) continue;
      await tell(io, `error: no agent answered within ${PATIENCE / 1000} s of the reload. Its log says why.`);
      return 1;
    }
    const failure = (await client.events()).find(({ message }) => message?.startsWith(FAILED));
    if (failure === undefined) await printLine(io.stdout, reloadedText(pods, await client.pods()));
    else await tell(io, `error: ${failure.message}`);
    return failure === undefined ? 0 : 1;
  });
}
