import type { Pod } from "@hooklet/manifest";
import { invalid, isNodeAgentError, NodeAgentError, notFound } from "@hooklet/utils";
import type { AgentClient } from "../client/agent-client.js";
import { type Context, withAgent } from "../context.js";
import { printLine } from "../io.js";
import { podName, singular } from "../pod-argument.js";
import { describePod } from "../print/describe/describe-pod.js";
import { nodeText } from "../print/node-text.js";
import { parseSelector } from "../selector.js";
import { unreadyNode } from "./get/resources.js";

export interface DescribeOptions {
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly selector?: string;
}

/** `hooklet describe pod [NAME...]`, in kubectl's layout, without a name all of them; `describe node`. */
export function describe(
  context: Context,
  kind: string,
  names: readonly string[],
  options: DescribeOptions,
): Promise<number> {
  return withAgent(context, async (client) => {
    const { io } = context;
    const [what = kind, slashName] = kind.split("/");
    if (["node", "nodes", "no"].includes(what)) {
      const [node, unready] = await Promise.all([client.node(), unreadyNode(client)]);
      for (const name of slashName === undefined ? names : [slashName, ...names])
        if (name !== node.name) throw notFound("node", name, [node.name]);
      await printLine(io.stdout, nodeText(node, unready, io.clock.now()));
      return 0;
    }
    const wanted = slashName === undefined ? names : [slashName, ...names];
    const pods =
      singular(what) === "pod" ? await chosen(client, wanted, options) : await bare(client, [what, ...wanted], options);
    const texts = [];
    for (const pod of pods) {
      const { name, namespace, uid } = pod.metadata;
      const events = await client.events({ for: `pod/${name}`, namespace });
      const own = events.filter(({ involvedObject }) => involvedObject.uid === uid);
      texts.push(describePod(pod, own, io.clock.now()));
    }
    await printLine(io.stdout, texts.join("\n\n\n"));
    return 0;
  });
}

async function chosen(
  client: AgentClient,
  names: readonly string[],
  { namespace = "default", allNamespaces = false, selector }: DescribeOptions,
): Promise<readonly Pod[]> {
  if (names.length > 0) return Promise.all(names.map((name) => client.pod({ name: podName(name), namespace })));
  const isMeant = parseSelector(selector ?? "");
  const pods = (await client.pods()).filter(
    ({ metadata }) => (allNamespaces || metadata.namespace === namespace) && isMeant(metadata.labels ?? {}),
  );
  if (pods.length > 0) return pods;
  const where = allNamespaces ? "" : ` in ${namespace} namespace.`;
  throw new NodeAgentError("NOT_FOUND", `No resources found${where}`);
}

/** Where the details of other things are. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  plugin: "Plugins with their taps: hooklet get plugins -o wide.",
  event: "Events: hooklet events.",
  image: "Images: hooklet get images; the decisions about one: hooklet explain image NAME.",
  configmap: "ConfigMaps with their values: hooklet get configmap NAME -o yaml.",
  secret: "Secrets with their values: hooklet get secret NAME -o yaml.",
};

/** `describe web`: names alone, where they are names of pods. */
async function bare(
  client: AgentClient,
  words: readonly string[],
  { namespace = "default" }: DescribeOptions,
): Promise<readonly Pod[]> {
  try {
    return await Promise.all(words.map((name) => client.pod({ name, namespace })));
  } catch (error) {
    if (!isNodeAgentError(error, "NOT_FOUND")) throw error;
    const elsewhere = ELSEWHERE[singular(words[0] ?? "").replace(/s$/, "")];
    const refused = invalid("describe", "pod [NAME...], pod/NAME, the name of a pod, or node", words.join(" "));
    throw elsewhere === undefined ? refused : new NodeAgentError("INVALID", `${refused.message} ${elsewhere}`);
  }
}
