import { type ManifestKind, namespacedName, type Pod, parseManifest } from "@hooklet/manifest";
import { errorText, invalid, NodeAgentError, sleep } from "@hooklet/utils";
import type { AgentClient } from "../client/agent-client.js";
import { type Context, withAgent } from "../context.js";
import { printLine, tell } from "../io.js";
import { objectName, podName, singular } from "../pod-argument.js";
import { readInputs } from "../read-input.js";
import { wholeNumber } from "./logs.js";

export interface DeleteOptions {
  readonly filename?: readonly string[];
  readonly namespace?: string;
  readonly gracePeriod?: string;
  readonly wait?: boolean;
}

interface Target {
  readonly kind: ManifestKind;
  readonly name: string;
  readonly namespace: string;
  /** Of a manifest: names of pods are whole there. */
  readonly isOfFile?: true;
}

const KINDS: Readonly<Record<string, ManifestKind>> = { pod: "Pod", configmap: "ConfigMap", secret: "Secret" };

const POLL_MILLISECONDS = 200;

/** `hooklet delete pod NAME...`, `delete configmap NAME...`, `delete secret NAME...` or `delete -f FILE`: waits until the pods are gone unless `--no-wait`. */
export function deletePods(context: Context, words: readonly string[], options: DeleteOptions): Promise<number> {
  return withAgent(context, async (client) => {
    const { io } = context;
    const grace =
      options.gracePeriod === undefined
        ? {}
        : { gracePeriodSeconds: wholeNumber(options.gracePeriod, "--grace-period") };
    const deleted: Pod[] = [];
    const all = await targets(context, words, options);
    let failures = 0;
    const remove = async (isMeant: (kind: ManifestKind) => boolean): Promise<void> => {
      for (const target of all.filter(({ kind }) => isMeant(kind))) {
        try {
          if (target.kind === "Pod") {
            if (target.isOfFile) await expectPod(client, target);
            const pod = await client.deletePod(target, grace);
            deleted.push(pod);
            await printLine(io.stdout, `pod "${pod.metadata.name}" deleted`);
          } else {
            await client.deleteObject(target.kind, target);
            await printLine(io.stdout, `${target.kind.toLowerCase()} "${target.name}" deleted`);
          }
        } catch (error) {
          failures += 1;
          await tell(io, `error: ${errorText(error)}`);
        }
      }
    };
    await remove((kind) => kind === "Pod");
    if (options.wait !== false) await gone(context, client, new Set(deleted.map(keyOf)));
    // What a pod uses goes after the pod.
    await remove((kind) => kind !== "Pod");
    return failures === 0 ? 0 : 1;
  });
}

async function targets({ io }: Context, words: readonly string[], options: DeleteOptions): Promise<readonly Target[]> {
  const namespace = options.namespace ?? "default";
  const files = options.filename ?? [];
  if (files.length === 0 && words.length === 0) throw invalid("delete", "pod NAME or -f FILE", undefined);
  const kind = KINDS[singular(words[0] ?? "")];
  if (kind !== undefined && kind !== "Pod") {
    if (words.length < 2) throw invalid(`delete ${words[0]}`, `the name of a ${kind}`, undefined);
    return words.slice(1).map((name) => ({ kind, name: objectName(kind, name), namespace }));
  }
  const named =
    words[0] !== undefined && !words[0].includes("/") && singular(words[0]) === "pod" ? words.slice(1) : words;
  if (named === words && words.some((word) => !word.includes("/")))
    throw invalid("delete", "pod NAME or pod/NAME", words.join(" "));
  if (named !== words && named.length === 0) throw invalid("delete pod", "the name of a pod", undefined);
  const all: Target[] = named.map((word) => {
    const [kindWord = "", name] = word.split("/", 2);
    const kind = name === undefined ? undefined : KINDS[singular(kindWord)];
    return kind === undefined || kind === "Pod"
      ? { kind: "Pod", name: podName(word), namespace }
      : { kind, name: objectName(kind, word.slice(kindWord.length + 1)), namespace };
  });
  for (const { where, text } of await readInputs(io, files))
    for (const { kind: found, object } of await parseManifest(text, where, Object.values(KINDS)))
      all.push(targetOf(found, object, where, namespace));
  return all;
}

function targetOf(
  kind: ManifestKind,
  object: Readonly<Record<string, unknown>>,
  where: string,
  namespace: string,
): Target {
  const { name, namespace: own } = (object.metadata ?? {}) as { name?: unknown; namespace?: unknown };
  if (typeof name !== "string" || name === "") throw invalid(`${where}: metadata.name`, `the name of a ${kind}`, name);
  return { kind, name, namespace: typeof own === "string" && own !== "" ? own : namespace, isOfFile: true };
}

/** A pod of the manifest folder whose name has the node's suffix is another one. @throws NodeAgentError NOT_FOUND */
async function expectPod(client: AgentClient, { name, namespace }: Target): Promise<void> {
  const found = await client.pods();
  if (found.some(({ metadata }) => metadata.name === name && metadata.namespace === namespace)) return;
  throw new NodeAgentError("NOT_FOUND", `No pod "${name}" in namespace "${namespace}".`);
}

/** Another pod may take over a uid. */
const keyOf = ({ metadata }: Pod): string => `${metadata.uid} ${namespacedName(metadata)}`;

async function gone({ io }: Context, client: AgentClient, pods: ReadonlySet<string>): Promise<void> {
  while (pods.size > 0 && (await client.pods()).some((pod) => pods.has(keyOf(pod)))) {
    await sleep(io.clock, POLL_MILLISECONDS);
  }
}
