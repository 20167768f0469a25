/** The node as it is at one moment. */

import { namespacedName, type Pod } from "@hooklet/manifest";
import { type FinalState, podFacts, seconds } from "../records/record.js";
import type { Snapshot } from "./expectations.js";
import type { Sample } from "./outcome.js";
import type { ScenarioNode } from "./scenario-node.js";

export async function snapshot(node: ScenarioNode): Promise<Omit<Snapshot, "records" | "inside">> {
  const { api } = node;
  const images = await api.images();
  const { conditions } = await api.node();
  return {
    pods: withFailed(api.pods(), node.source.failed()),
    images: images.map(({ id, repoTags }) => ({ id, names: repoTags })),
    devices: await devicesOf(node),
    conditions: new Map(conditions.map(({ type, status }) => [type, status])),
  };
}

/** Those that the agent has, and those that had failed before it came. */
function withFailed(known: readonly Pod[], failed: readonly Pod[]): readonly Pod[] {
  const uids = new Set(known.map(({ metadata }) => metadata.uid));
  return [...known, ...failed.filter(({ metadata }) => !uids.has(metadata.uid))].sort(byName);
}

function byName(a: Pod, b: Pod): number {
  return namespacedName(a.metadata) < namespacedName(b.metadata) ? -1 : 1;
}

/** Who holds what, as the view `devices` tells; empty where no plugin has it. */
async function devicesOf({ api }: ScenarioNode): Promise<ReadonlyMap<string, string | null>> {
  if (!api.views().some(({ name }) => name === "devices")) return new Map();
  const { rows } = await api.view("devices");
  return new Map(
    rows.map(({ resource, id, device, pod, namespace }) => [
      `${resource}/${id ?? device}`,
      pod === undefined || pod === null || pod === "" ? null : `${namespace || "default"}/${pod}`,
    ]),
  );
}

export async function finalState(node: ScenarioNode): Promise<FinalState> {
  const { pods, images, devices } = await snapshot(node);
  return {
    pods: pods.map(stateOf),
    images: images.map(({ id, names }) => names[0] ?? id).sort(),
    devices: [...devices].map(([device, holder]) => ({ device, holder: holder ?? "" })).sort(byDevice),
  };
}

function stateOf(pod: Pod): FinalState["pods"][number] {
  return {
    ...podFacts(pod),
    reason: pod.status?.reason ?? "",
    qos: pod.status?.qosClass ?? "",
  };
}

function byDevice(a: { readonly device: string }, b: { readonly device: string }): number {
  return a.device < b.device ? -1 : 1;
}

// Samples of the node over time, for curves.

/** Fills the list as time passes: from now to the end, evenly. @param until milliseconds */
export function startSampling(node: ScenarioNode, until: number, count: number): readonly Sample[] {
  const samples: Sample[] = [];
  const step = Math.max(1, until / count);
  const look = (): void => {
    samples.push(sampleOf(node));
    if (node.recorder.now < until) node.clock.schedule(Math.min(step, until - node.recorder.now), look);
  };
  look();
  return samples;
}

function sampleOf({ recorder, machine, runtime, disks, pods }: ScenarioNode): Sample {
  const { capacity = 0, available = 0 } = disks.imageFs();
  return {
    t: seconds(recorder.now),
    memory: machine.usage.total,
    imageFsUsed: capacity - available,
    images: runtime.imageBytes(),
    ...pods(),
  };
}
