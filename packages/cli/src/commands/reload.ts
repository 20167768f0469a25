import { isNodeAgentError, sleep } from "@hooklet/utils";
import { type Context, withAgent } from "../context.js";
import { printLine, tell } from "../io.js";

/** Milliseconds. */
const PATIENCE = 60_000;
const EVERY = 50;
/** How the agent begins the event of a reload that did not start. */
const FAILED = "reload: the agent did not start";

/** `hooklet reload`: returns once an agent with the rc file as it is now answers. */
export function reload(context: Context): Promise<number> {
  return withAgent(context, async (client) => {
    const { io } = context;
    const before = await client.node();
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
    if (failure === undefined) await printLine(io.stdout, "The agent has reloaded its configuration; the pods run on.");
    else await tell(io, `error: ${failure.message}`);
    return failure === undefined ? 0 : 1;
  });
}
