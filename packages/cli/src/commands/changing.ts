/** Commands that change something and need no more than a call of the agent for each name. */

import { resolve } from "node:path";
import { namespacedName, type Pod } from "@hooklet/manifest";
import { errorText, invalid, isNodeAgentError, sleep } from "@hooklet/utils";
import { isStarting } from "../client/transport.js";
import { type Context, withAgent } from "../context.js";
import { printLine, tell } from "../io.js";
import { podName, singular } from "../pod-argument.js";
import { Progress } from "../progress.js";

/** `hooklet image import NAME PATH`: prints the image's id. */
export function importImage(context: Context, name: string, path: string): Promise<number> {
  return withAgent(context, async (client) => {
    const imported = client.importImage(name, resolve(context.io.cwd(), path));
    await printLine(context.io.stdout, await new Progress(context.io, `Importing ${name}`).during(imported));
    return 0;
  });
}

/** `hooklet image remove NAME...` */
export function removeImages(context: Context, names: readonly string[]): Promise<number> {
  return withAgent(context, async (client) => {
    for (const name of names) {
      await client.removeImage(name);
      await printLine(context.io.stdout, `image "${name}" removed`);
    }
    return 0;
  });
}

/** `hooklet plugin on|off NAME`: switches all taps of a plugin until the agent restarts or reloads. */
export function switchPlugin(context: Context, name: string, active: boolean): Promise<number> {
  return withAgent(context, async (client) => {
    await client.switchPlugin(name, active);
    await printLine(context.io.stdout, `plugin "${name}" is ${active ? "on" : "off"}`);
    return 0;
  });
}

/** `hooklet restart pod NAME...`: the containers of each pod end in order and start again, whatever source the pod has. */
export function restart(
  context: Context,
  words: readonly string[],
  { namespace = "default" }: { readonly namespace?: string },
): Promise<number> {
  return withAgent(context, async (client) => {
    const { io } = context;
    const isKind = singular(words[0] ?? "") === "pod";
    const names = (isKind ? words.slice(1) : words).map(podName);
    if (names.length === 0) throw invalid("restart pod", "the name of a pod", undefined);
    let failures = 0;
    for (const name of names) {
      try {
        const { metadata } = await client.restartPod({ name, namespace });
        await printLine(io.stdout, `pod "${metadata.name}" restarting`);
      } catch (error) {
        failures += 1;
        await tell(io, `error: ${errorText(error)}`);
      }
    }
    return failures === 0 ? 0 : 1;
  });
}

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
        if (!isNodeAgentError(error, "AGENT_NOT_RUNNING") && !isStarting(error)) throw error;
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
