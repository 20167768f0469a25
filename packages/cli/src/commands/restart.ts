import { errorText, invalid } from "@hooklet/utils";
import { type Context, withAgent } from "../context.js";
import { printLine, tell } from "../io.js";
import { podName, singular } from "../pod-argument.js";

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
