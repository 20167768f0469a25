/** Values of the downward API: the pod's fields and the resources of its containers (the kubelet's fieldpath and resource helpers). Pure. */

import {
  allContainers,
  type Container,
  milliValue,
  type Pod,
  parseQuantity,
  type Resources,
  quantityValue as value,
} from "@hooklet/manifest";

/** An error that prevents the creation of a container: status CreateContainerConfigError. */
export class ContainerConfigError extends Error {
  override readonly name = "ContainerConfigError";
}

/** What a pod cannot say of itself. */
interface DownwardFacts {
  readonly nodeName: string;
  readonly hostIp: string;
  readonly podIps: readonly string[];
}

/** The value of a field of the pod itself: what volumes can have. @throws ContainerConfigError for any other */
export function metadataValue(pod: Pod, fieldPath: string): string {
  const subscript = /^metadata\.(labels|annotations)\['(.*)'\]$/s.exec(fieldPath);
  if (subscript !== null) return pod.metadata[subscript[1] as "labels" | "annotations"]?.[subscript[2] ?? ""] ?? "";
  switch (fieldPath) {
    case "metadata.name":
      return pod.metadata.name;
    case "metadata.namespace":
      return pod.metadata.namespace;
    case "metadata.uid":
      return pod.metadata.uid;
    case "metadata.labels":
      return mapText(pod.metadata.labels);
    case "metadata.annotations":
      return mapText(pod.metadata.annotations);
    default:
      throw new ContainerConfigError(`unsupported fieldPath: ${fieldPath}`);
  }
}

/** The value of a downward API field path, as the environment can have it. @throws ContainerConfigError */
export function fieldValue(pod: Pod, fieldPath: string, facts: DownwardFacts): string {
  switch (fieldPath) {
    case "spec.nodeName":
      return facts.nodeName;
    case "spec.serviceAccountName":
      return pod.spec.serviceAccountName ?? "";
    case "status.hostIP":
    case "status.hostIPs":
      return facts.hostIp;
    case "status.podIP":
      return facts.podIps[0] ?? "";
    case "status.podIPs":
      return facts.podIps.join(",");
    default:
      return metadataValue(pod, fieldPath);
  }
}

function mapText(map: Readonly<Record<string, string>> | undefined): string {
  return Object.keys(map ?? {})
    .sort()
    .map((key) => `${key}=${goQuote(map?.[key] ?? "")}`)
    .join("\n");
}

/** Rounded up to the divisor (default 1), as the kubelet does; a limit that is not set is the node's allocatable. */
export function resourceValue(
  pod: Pod,
  own: Container | undefined,
  ref: { resource: string; containerName?: string; divisor?: string },
  allocatable: Resources,
): string {
  const container =
    (ref.containerName ?? "") === "" ? own : allContainers(pod).find(({ name }) => name === ref.containerName);
  if (container === undefined) throw new ContainerConfigError(`container ${ref.containerName} not found`);
  const [kind, resource] = splitResource(ref.resource);
  const isCpu = resource === "cpu";
  const text = container.resources?.[kind]?.[resource];
  const unset = kind === "limits" ? (allocatable[resource] ?? 0) : 0;
  const amount = text === undefined ? unset : (isCpu ? milliValue : value)(parseQuantity(text));
  const divisorText = ref.divisor === undefined || ref.divisor === "0" ? "1" : ref.divisor;
  const divisor = (isCpu ? milliValue : value)(parseQuantity(divisorText));
  return String(Math.ceil(amount / divisor));
}

function splitResource(text: string): ["limits" | "requests", string] {
  const match = /^(limits|requests)\.(.+)$/.exec(text);
  if (match === null) throw new ContainerConfigError(`unsupported container resource: ${text}`);
  return [match[1] as "limits" | "requests", match[2] ?? ""];
}

// Texts as Go's strconv.Quote writes them.

const NAMED: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

/** Letters, marks, numbers, punctuation, symbols and the plain space are written as they are (Go's unicode.IsPrint). */
const PRINTED = /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

export function goQuote(text: string): string {
  return `"${[...text].map(quoted).join("")}"`;
}

function quoted(character: string): string {
  const named = NAMED[character];
  if (named !== undefined) return named;
  if (PRINTED.test(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).padStart(2, "0")}`;
  // Half of a pair is no character; Go has read U+FFFD in its place.
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, "0")}`;
  return `\\U${code.toString(16).padStart(8, "0")}`;
}
