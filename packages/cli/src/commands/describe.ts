import { invalid } from "@hooklet/core/base";
import { type Context, withAgent } from "../context.js";
import { printLine } from "../io.js";
import { podName, singular } from "../pod-argument.js";
import { describePod } from "../print/describe/pod.js";
import { nodeText } from "../print/node.js";

/** `hooklet describe pod NAME...`, in kubectl's layout; `describe node`. */
export function describe(
  context: Context,
  kind: string,
  names: readonly string[],
  { namespace = "default" }: { readonly namespace?: string },
): Promise<number> {
  return withAgent(context, async (client) => {
    const { io } = context;
    const [what = kind, slashName] = kind.split("/");
    if (["node", "nodes", "no"].includes(what)) {
      await printLine(io.stdout, nodeText(await client.node(), io.clock.now()));
      return 0;
    }
    const wanted = slashName === undefined ? names : [slashName, ...names];
    if (singular(what) !== "pod") throw invalid("describe", "pod NAME or node", [what, ...wanted].join(" "));
    if (wanted.length === 0) throw invalid("describe pod", "the name of a pod", undefined);
    const texts = [];
    for (const name of wanted) {
      const pod = await client.pod({ name: podName(name), namespace });
      const events = await client.events({ for: `pod/${pod.metadata.name}`, namespace });
      const own = events.filter(({ involvedObject }) => involvedObject.uid === pod.metadata.uid);
      texts.push(describePod(pod, own, io.clock.now()));
    }
    await printLine(io.stdout, texts.join("\n\n\n"));
    return 0;
  });
}
