/** Finds a pod by name, with or without namespace. */

import { ephemeralContainers, initContainers, mainContainers, type Pod } from "@hooklet/manifest";
import { notFound } from "@hooklet/utils";
import type { PodName } from "./api.js";
import { podsMeant } from "./pods-meant.js";

/** The pod of that name, or of that name with the node's suffix. @throws NodeAgentError NOT_FOUND with the nearest names */
export function findPod(pods: readonly Pod[], { name, namespace = "default" }: PodName, nodeName: string): Pod {
  const inNamespace = pods.filter((pod) => pod.metadata.namespace === namespace);
  const names = inNamespace.map((pod) => pod.metadata.name);
  const [meant] = podsMeant(names, name, nodeName);
  const found = inNamespace.find((pod) => pod.metadata.name === meant);
  if (found !== undefined) return found;
  throw notFound("pod", name, names, `in namespace "${namespace}"`);
}

/** The container meant: the one named, else the first main one. */
export function findContainer(pod: Pod, name: string | undefined): string {
  const all = [...mainContainers(pod), ...initContainers(pod), ...ephemeralContainers(pod)].map((one) => one.name);
  if (name === undefined) return all[0] as string;
  if (!all.includes(name)) throw notFound("container", name, all, `in pod ${pod.metadata.name}`);
  return name;
}
