/** Finds a pod by name, with or without namespace. */

import { ephemeralContainers, initContainers, mainContainers, type Pod } from "@hooklet/manifest";
import { notFound } from "@hooklet/utils";
import type { PodName } from "./api.js";

/**
 * The names meant by one: those of that name, else those that have the node's suffix as well, as pods of manifest files have.
 * @param names of pods, with or without their namespaces
 */
export function podsMeant(names: readonly string[], name: string, nodeName: string): readonly string[] {
  const named = (wanted: string) => names.filter((full) => full === wanted || full.endsWith(`/${wanted}`));
  const exact = named(name);
  return exact.length > 0 ? exact : named(`${name}-${nodeName}`);
}

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
