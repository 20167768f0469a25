/** Whose log is meant. */

import type { PodName } from "@hooklet/core/base";
import { allContainers, type Pod } from "@hooklet/manifest";
import { invalid, NodeAgentError } from "@hooklet/utils";
import type { AgentClient } from "../../client/client.js";
import type { Io } from "../../io.js";
import { chosenContainer, defaultContainer, podName } from "../../pod-argument.js";
import { parseSelector } from "../../selector.js";

export interface LogTarget {
  readonly pod: PodName & { readonly namespace: string };
  readonly container?: string;
}

export interface TargetOptions {
  readonly namespace?: string;
  readonly allContainers?: boolean;
  readonly selector?: string;
}

/** @throws NodeAgentError INVALID when neither or both of a name and labels are given, NOT_FOUND when no pod is meant */
export async function logTargets(
  client: AgentClient,
  io: Io,
  pod: string | undefined,
  container: string | undefined,
  { namespace = "default", allContainers: all = false, selector }: TargetOptions,
): Promise<readonly LogTarget[]> {
  if ((pod === undefined) === (selector === undefined))
    throw invalid("logs", "the name of a pod, or --selector with labels", pod === undefined ? undefined : "both");
  if (all && container !== undefined) throw invalid("logs", "--all-containers or one container, not both", container);
  if (pod !== undefined) {
    const name = { name: podName(pod), namespace };
    if (all) return containersOf(await client.pod(name));
    const chosen = await defaultContainer(client, io, name, container);
    return [{ pod: name, ...(chosen !== undefined && { container: chosen }) }];
  }
  const isMeant = parseSelector(selector ?? "");
  const pods = (await client.pods()).filter(
    ({ metadata }) => metadata.namespace === namespace && isMeant(metadata.labels ?? {}),
  );
  if (pods.length === 0) throw new NodeAgentError("NOT_FOUND", `No resources found in ${namespace} namespace.`);
  return pods.flatMap((one) =>
    all ? containersOf(one) : [{ pod: one.metadata, container: container ?? chosenContainer(one) }],
  );
}

function containersOf(pod: Pod): readonly LogTarget[] {
  return allContainers(pod).map(({ name }) => ({ pod: pod.metadata, container: name }));
}
