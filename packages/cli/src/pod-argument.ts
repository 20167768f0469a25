/** How people name pods and containers on the command line. */

import { podsMeant } from "@hooklet/core/base";
import { allContainers, type Pod } from "@hooklet/manifest";
import { invalid } from "@hooklet/utils";
import type { AgentClient } from "./client/agent-client.js";
import { type Io, tell } from "./io.js";

/** The kinds' names, as kubectl takes them, in one. */
export function singular(kind: string): string {
  const lower = kind.toLowerCase();
  if (["po", "pod", "pods"].includes(lower)) return "pod";
  if (["cm", "configmap", "configmaps"].includes(lower)) return "configmap";
  if (["secret", "secrets"].includes(lower)) return "secret";
  return lower;
}

/** The name behind `web` or `pod/web`. @throws NodeAgentError INVALID for another kind */
export function podName(argument: string): string {
  const [kind = "", name, ...more] = argument.split("/");
  if (name === undefined) return kind;
  if (singular(kind) !== "pod" || name === "" || more.length > 0) throw invalid("pod", "NAME or pod/NAME", argument);
  return name;
}

/** The pods meant by these names, as the agent finds them; none of those that are missing. */
export function podsNamed(pods: readonly Pod[], names: readonly string[]): readonly Pod[] {
  const nodeName = pods[0]?.spec.nodeName ?? "";
  const meant = names.flatMap((name) =>
    podsMeant(
      pods.map(({ metadata }) => metadata.name),
      name,
      nodeName,
    ),
  );
  return pods.filter(({ metadata }) => meant.includes(metadata.name));
}

/** The name of a ConfigMap or Secret. @throws NodeAgentError INVALID for what cannot be one */
export function objectName(kind: string, argument: string): string {
  if (argument === "" || argument.includes("/")) throw invalid(kind.toLowerCase(), "NAME", argument);
  return argument;
}

const DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container";

/** The annotated container, else the first main one. */
export function chosenContainer(pod: Pod): string {
  return pod.metadata.annotations?.[DEFAULT_CONTAINER] ?? pod.spec.containers[0]?.name ?? "";
}

/** The container meant when none is named; says which one it took where there are several. */
export async function defaultContainer(
  client: AgentClient,
  io: Io,
  name: { readonly name: string; readonly namespace: string },
  asked: string | undefined,
): Promise<string | undefined> {
  if (asked !== undefined) return asked;
  const pod: Pod = await client.pod(name);
  const chosen = chosenContainer(pod);
  if (pod.metadata.annotations?.[DEFAULT_CONTAINER] !== undefined) return chosen;
  const main = pod.spec.containers.map((container) => container.name);
  const others = allContainers(pod).flatMap((container) => (main.includes(container.name) ? [] : [container.name]));
  const all = [...main, ...others];
  if (all.length > 1) await tell(io, `Defaulted container "${chosen}" out of: ${all.join(", ")}`);
  return chosen;
}
