/** The runtime's status: its isolation, its health and its configuration. Pure. */
import type { Json } from "@hooklet/core";
import type { IsolationFact, RuntimeInfo } from "@hooklet/core/host";
import { isRecord, type RuntimeFacts } from "@hooklet/core/subsystem";
import type { Answers, WireCondition } from "../wire.js";

export type ConfigFacts = Partial<Pick<RuntimeFacts, "sandboxImage" | "cgroupDriver" | "runtimeHandlers">> &
  Pick<RuntimeInfo, "recursiveReadOnlyHandlers">;

/** Of a verbose status. containerd 1.x and CRI-O say `sandboxImage`, containerd 2 `pinnedImages` with one named `sandbox`. */
export function statusFacts({
  info,
  runtimeHandlers,
}: Pick<Answers["Status"], "info" | "runtimeHandlers">): ConfigFacts {
  const config = parsed(info.config);
  const images = record(config?.pinnedImages) ?? record(config?.pinned_images);
  const sandboxImage = [config?.sandboxImage, images?.sandbox].find(isName);
  const listed = runtimeHandlers.map(({ name }) => name);
  const configured = Object.keys(record(record(config?.containerd)?.runtimes) ?? {});
  const handlers = new Set(["", ...(listed.length > 0 ? listed : configured)]);
  const recursive = runtimeHandlers.filter(({ features }) => features?.recursiveReadOnlyMounts === true);
  return {
    ...(sandboxImage !== undefined && { sandboxImage }),
    runtimeHandlers: [...handlers].sort(),
    ...(recursive.length > 0 && { recursiveReadOnlyHandlers: recursive.map(({ name }) => name).sort() }),
  };
}

function parsed(text: string | undefined): Readonly<Record<string, Json>> | undefined {
  if (text === undefined) return undefined;
  try {
    return record(JSON.parse(text) as Json);
  } catch {
    // Another runtime's text: it tells nothing that hooklet knows.
    return undefined;
  }
}

function record(value: Json | undefined): Readonly<Record<string, Json>> | undefined {
  return isRecord(value) ? value : undefined;
}

function isName(value: Json | undefined): value is string {
  return typeof value === "string" && value !== "";
}

/** Whether the runtime reads `CDI_devices`; an older one would start the container without them. */
export function knowsCdi({ runtimeName, runtimeVersion }: Answers["Version"]): boolean {
  const [major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(runtimeVersion)?.slice(1) ?? []).map(Number);
  const [since, sinceMinor] = runtimeName === "containerd" ? [1, 7] : runtimeName === "cri-o" ? [1, 26] : [0, 0];
  return major > since || (major === since && minor >= sinceMinor);
}

/** The runtime's failing conditions, with the kubelet's text; undefined when there are none. */
export function healthText(conditions: readonly WireCondition[]): string | undefined {
  const required = [
    ["RuntimeReady", "container runtime not ready"],
    ["NetworkReady", "container runtime network not ready"],
  ] as const;
  const wrong = required.flatMap(([type, text]) => {
    const condition = conditions.find((one) => one.type === type);
    if (condition?.status === true) return [];
    const { reason, message } = condition ?? { reason: "missing", message: `the runtime does not tell ${type}` };
    return [`${text}: ${type}=false reason:${reason} message:${message}`];
  });
  return wrong.length === 0 ? undefined : wrong.join(", ");
}

/** What a CRI runtime isolates, for `hooklet describe node`. */
export const isolationFacts: readonly IsolationFact[] = [
  { what: "mounts", isolated: "yes", how: "a root file system from the image, a mount namespace per container" },
  { what: "network", isolated: "yes", how: "a network namespace per pod, by CNI; hostNetwork shares the node's" },
  {
    what: "processes",
    isolated: "yes",
    how: "a PID namespace per container; shareProcessNamespace: per pod; hostPID: the node's",
  },
  { what: "users", isolated: "partly", how: "user ids are the node's own; no user namespace" },
  { what: "cgroups", isolated: "yes", how: "a cgroup per container below the pod's" },
];
