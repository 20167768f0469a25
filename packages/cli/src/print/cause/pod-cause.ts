/** Why a pod failed as a whole, or cannot get what it needs. Pure. */
import type { Decision } from "@hooklet/core";
import { namespacedName, type Pod } from "@hooklet/manifest";
import { roundAmount } from "../amounts.js";
import { type Cause, type CauseFacts, changed, missingObject, newestWarning, sentence, startAnew } from "./facts.js";

/** Why it was refused, evicted or ended. */
export function podCause(facts: CauseFacts, reason: string): Cause {
  const { pod, decisions } = facts;
  const said = (pod.status?.message ?? "").trim().replace(/^Pod was rejected: /, "");
  if (reason.startsWith("OutOf")) return shortageCause(facts, said);
  switch (reason) {
    case "Evicted":
      return said.startsWith("The node had condition") ? pressureCause(pod, decisions, said) : evictedCause(pod, said);
    case "NodeAffinity": {
      const { nodeSelector = {}, affinity } = pod.spec;
      const labels = Object.entries(nodeSelector).map(([key, value]) => `${key}=${value}`);
      const wanted = [
        ...(labels.length > 0 ? [`nodeSelector ${labels.join(", ")}`] : []),
        ...(affinity?.nodeAffinity === undefined ? [] : ["nodeAffinity"]),
      ];
      return {
        cause: `The node's labels do not match the pod's ${wanted.join(" and ") || "node selector"}.`,
        next: `Add the label to the node (rc file: node.labels) or change the pod, ${startAnew(pod)}.`,
      };
    }
    case "NodePorts":
      return portsCause(facts);
    case "DeadlineExceeded":
      return {
        cause: `The pod ran longer than its activeDeadlineSeconds (${pod.spec.activeDeadlineSeconds ?? "?"} s), so it was stopped.`,
        next: `Raise activeDeadlineSeconds or make the work shorter, ${startAnew(pod)}.`,
      };
    case "Preempting":
    case "Preempted":
      return {
        cause: sentence(`The pod was evicted to make room for a critical one: ${said}`),
        next: `Make room, ${startAnew(pod)}.`,
      };
    case "Terminated":
    case "NodeShutdown":
      return {
        cause: sentence(said || "The node shut down"),
        next: `Nothing failed: the node was shut down, ${startAnew(pod)}.`,
      };
    default: {
      const by = decisions.flatMap(({ considered }) => considered).find(({ verdict }) => verdict === reason)?.candidate;
      const who = by === undefined || by === "core" ? "The node" : `Plugin ${by}`;
      return {
        cause: sentence(`${who} refused the pod (${reason})${said === "" ? "" : `: ${said}`}`),
        next: `Change what it was refused for, ${startAnew(pod)}.`,
      };
    }
  }
}

const SHORTAGE =
  /resource: (?<resource>\S+), requested: (?<requested>\d+), used: (?<used>\d+), capacity: (?<capacity>\d+)/;
const HOLDERS = 3;

interface Shortage {
  readonly resource: string;
  readonly requested: number;
  readonly used: number;
  readonly capacity: number;
  /** Names of pods. */
  readonly holders: readonly string[];
}

function shortageCause({ pod, decisions }: CauseFacts, said: string): Cause {
  // A pod that is applied again is refused again: the last time counts.
  const rows = decisions.findLast(({ strategy }) => strategy === "podAdmit")?.considered ?? [];
  const reasons = rows.filter(({ verdict }) => verdict.startsWith("OutOf")).map(({ why }) => why);
  const all = [said, ...reasons].flatMap((text) => shortageOf(text, rows));
  const short = all.filter((one, at) => all.findIndex(({ resource }) => resource === one.resource) === at);
  const [first] = short;
  if (first === undefined)
    return { cause: sentence(said), next: `Make room or change the manifest, ${startAnew(pod)}.` };
  const { resource, requested, used, capacity } = first;
  if (resource.includes("/") && capacity === 0) {
    return {
      cause: `The node has no ${resource}, of which the pod requests ${requested}.`,
      next: `Start the device plugin that offers ${resource} (hooklet get devices lists what there is), ${startAnew(pod)}.`,
    };
  }
  if (resource === "pods") {
    return {
      cause: `The node runs ${used} pods, as many as it may (node.maxPods ${capacity}).`,
      next: `Delete a pod or raise node.maxPods in the rc file, ${startAnew(pod)}.`,
    };
  }
  const free = short.map((one) => `${one.resource} ${roundAmount(one.resource, Math.max(0, one.capacity - one.used))}`);
  const isHeld = short.every((one) => one.requested <= one.capacity);
  return {
    cause: `The node has too little ${short.map(shortageText).join("; and too little ")}.`,
    next: `${isHeld ? "Delete a pod that holds some, or request" : "Request"} at most what is free now (${free.join(", ")}), ${startAnew(pod)}.`,
  };
}

function shortageOf(text: string, rows: Decision["considered"]): readonly Shortage[] {
  const { resource, requested, used, capacity } = SHORTAGE.exec(text)?.groups ?? {};
  if (resource === undefined) return [];
  const holders = rows
    .filter(({ verdict, why }) => verdict === "uses" && why.startsWith(`${resource}:`))
    .map(({ candidate }) => candidate.replace(/^pod\//, ""));
  return [{ resource, requested: Number(requested), used: Number(used), capacity: Number(capacity), holders }];
}

function shortageText({ resource, requested, used, capacity, holders }: Shortage): string {
  const names = `${holders.slice(0, HOLDERS).join(", ")}${holders.length > HOLDERS ? " and others" : ""}`;
  const by = holders.length === 0 ? "" : ` (by ${names})`;
  const [wanted, held, whole] = [requested, used, capacity].map((value) => roundAmount(resource, value));
  return `${resource}: the pod requests ${wanted}, and ${held} of ${whole} is in use${by}`;
}

/** Rows of the plugin that watches the signals: `nodefs.available`, its amount and threshold. */
function pressureCause(pod: Pod, decisions: readonly Decision[], said: string): Cause {
  const conditions = /\[(.*)\]/.exec(said)?.[1] ?? "pressure";
  const all = decisions.filter(({ strategy }) => strategy === "pressure").flatMap(({ considered }) => considered);
  const rows = all.filter(({ verdict }) => verdict === "crossed");
  if (rows.length === 0 && all.length > 0) {
    return {
      cause: `The node had ${conditions} a short time ago: no threshold is crossed, but the condition stays for a while.`,
      next: `Wait until hooklet get node shows no pressure, ${startAnew(pod)}.`,
    };
  }
  const amounts = rows.map(({ candidate, why }) => `${candidate} is ${why}`).join("; ");
  const signals = rows.map(({ candidate }) => candidate).join(", ");
  return {
    cause: `The node has ${conditions}${amounts === "" ? "" : `: ${amounts}`}.`,
    next: `Free some of it, or lower the threshold in the rc file (node.evictionHard${signals === "" ? "" : `: ${signals}`}), ${startAnew(pod)}.`,
  };
}

function evictedCause(pod: Pod, said: string): Cause {
  const isOwnLimit = /exceeds? |usage of |limit/i.test(said) && !said.startsWith("The node was low");
  return {
    cause: sentence(`The pod was evicted: ${said}`),
    next: isOwnLimit
      ? `Let it write less or raise that limit, ${startAnew(pod)}.`
      : `Free some of it, raise the pod's request or its priority, ${startAnew(pod)}.`,
  };
}

function portsCause({ pod, pods }: CauseFacts): Cause {
  const wanted = hostPorts(pod);
  for (const other of pods) {
    if (other.metadata.uid === pod.metadata.uid || isOver(other)) continue;
    const port = hostPorts(other).find((one) => wanted.includes(one));
    if (port === undefined) continue;
    return {
      cause: `Host port ${port} is in use by pod ${namespacedName(other.metadata)}.`,
      next: `Choose another hostPort or delete that pod, ${startAnew(pod)}.`,
    };
  }
  return {
    cause: `A host port of the pod (${wanted.join(", ")}) was in use by another pod when it was admitted.`,
    next: `The port may be free by now: ${startAnew(pod).replace(/^then /, "")}.`,
  };
}

function hostPorts({ spec }: Pod): readonly number[] {
  return spec.containers.flatMap(({ ports = [] }) => ports.flatMap(({ hostPort }) => hostPort ?? []));
}

function isOver({ status }: Pod): boolean {
  return status?.phase === "Failed" || status?.phase === "Succeeded";
}

const NEEDS = [
  "FailedMount",
  "FailedAttachVolume",
  "FailedMapVolume",
  "FailedCreatePodSandBox",
  "FailedCreatePodContainer",
];

/** Volumes and the sandbox, which come before containers. */
export function objectsCause(facts: CauseFacts): Cause | undefined {
  const said = newestWarning(facts, NEEDS);
  if (said === undefined) return undefined;
  const missing = missingObject(said, facts.pod);
  if (missing !== undefined) return missing;
  const volume = /volume "([^"]+)"/.exec(said)?.[1];
  const why = said.replace(/^MountVolume\.SetUp failed for volume "[^"]+" ?: ?/, "");
  if (volume === undefined) {
    return {
      cause: sentence(`The pod's sandbox cannot be made: ${why}`),
      next: "Fix that; the node tries again by itself.",
    };
  }
  return {
    cause: sentence(`Volume ${volume} cannot be mounted: ${why}`),
    next: why.includes("hostPath")
      ? `Create that path, or change the hostPath ${changed(facts.pod)}.`
      : "Fix that; the node tries again by itself.",
  };
}
