/** The choice of devices for one container and resource (pkg/kubelet/cm/devicemanager devicesToAllocate). Pure. */

import type { Container, Pod } from "@hooklet/core";
import { thrownText } from "@hooklet/core/subsystem";
import { type Device, UNHEALTHY } from "../device/device.js";
import { hasTopology, type ResourceDevices } from "../device/inventory.js";
import { inNaturalOrder } from "../device/natural-order.js";
import {
  type AllocationInput,
  type AllocationStrategy,
  allocationFault,
  type Candidate,
  isQuestion,
  type Question,
} from "../strategies/allocation.js";
import { kubelet } from "../strategies/built-in.js";
import { changedRequest, noHealthyDevices, noLongerHealthy, tooFewDevices, unregistered } from "./messages.js";

export interface SelectionInput {
  readonly pod: Pod;
  readonly container: Container;
  readonly resource: string;
  readonly required: number;
  /** What the container has already; undefined: nothing was ever recorded. */
  readonly had: readonly string[] | undefined;
  /** Undefined: no plugin has registered it. */
  readonly known: ResourceDevices | undefined;
  /** Devices that are in use or being allocated. */
  readonly taken: (id: string) => boolean;
  /** Devices of the pod's init containers. */
  readonly reusable: ReadonlySet<string>;
  /** The NUMA nodes that the topology manager chose. */
  readonly affinity: readonly number[] | undefined;
  /** All sources have spoken once. */
  readonly sourcesReady: boolean;
  /** The runtime reported the container as running when the agent started. */
  readonly running: boolean;
  readonly canAsk: boolean;
  /** The device plugin's answer to the question of an earlier call. */
  readonly preferred?: readonly string[];
  readonly strategy: AllocationStrategy;
}

export type Selection =
  /** Nothing is needed: no call to the plugin is made. */
  | { readonly kind: "nothing" }
  /** `tooFew`: the resource has healthy devices, but fewer than requested. */
  | { readonly kind: "failed"; readonly error: string; readonly tooFew?: true }
  | { readonly kind: "ask"; readonly question: Question }
  | {
      readonly kind: "chosen";
      readonly ids: readonly string[];
      readonly input: AllocationInput;
      /** What was wrong with the strategy's answer: the ids are those of `kubelet` then. */
      readonly violation: string | undefined;
    };

export function selectDevices(input: SelectionInput): Selection {
  const { pod, container, resource, required, had, known } = input;
  const needed = required - (had?.length ?? 0);
  if (had !== undefined && needed !== 0) {
    return failed(changedRequest(pod.metadata.uid, container.name, resource, had.length, required));
  }
  if (!input.sourcesReady && input.running) return { kind: "nothing" };
  if (known === undefined) return failed(unregistered(resource));
  if (known.healthy.size === 0) return failed(noHealthyDevices(resource));
  if (had?.some((id) => !known.healthy.has(id))) return failed(noLongerHealthy(resource));
  if (needed === 0) return { kind: "nothing" };

  const reusable = inNaturalOrder([...input.reusable], (id) => id);
  if (reusable.length >= needed) return choose(input, known, reusable, [], reusable.slice(0, needed));
  const free = known.devices.filter(({ id }) => known.healthy.has(id) && !input.taken(id) && !input.reusable.has(id));
  const missing = needed - reusable.length;
  if (free.length < missing)
    return { kind: "failed", error: tooFewDevices(resource, missing, free.length), tooFew: true };
  return choose(input, known, reusable, free, reusable);
}

function choose(
  input: SelectionInput,
  known: ResourceDevices,
  reusable: readonly string[],
  free: readonly Device[],
  mustInclude: readonly string[],
): Selection {
  const { pod, container, resource, required, affinity, strategy } = input;
  const aligns = hasTopology(known.devices);
  const asked: AllocationInput = {
    pod,
    container,
    resource,
    size: required,
    candidates: candidatesOf(known, reusable, free, affinity, aligns),
    mustInclude,
    affinity: aligns ? affinity : undefined,
    canAsk: input.canAsk,
    preferred: input.preferred,
  };
  let why: string | undefined;
  try {
    const answer = strategy(asked);
    why = allocationFault(answer, asked);
    if (why === undefined) {
      if (isQuestion(answer)) return { kind: "ask", question: answer.ask };
      return { kind: "chosen", ids: [...answer], input: asked, violation: undefined };
    }
  } catch (error) {
    why = `failed: ${thrownText(error)}`;
  }
  // The kubelet's choice, without a further question.
  const ids = kubelet({ ...asked, preferred: asked.preferred ?? [] }) as readonly string[];
  return { kind: "chosen", ids, input: asked, violation: why };
}

/** Each allocation reads thousands of devices: one object each, in one pass. */
function candidatesOf(
  known: ResourceDevices,
  reusable: readonly string[],
  free: readonly Device[],
  affinity: readonly number[] | undefined,
  aligns: boolean,
): readonly Candidate[] {
  const chosen = aligns && affinity !== undefined ? new Set(affinity) : undefined;
  const candidate = ({ id, nodes, health }: Device): Candidate => ({
    id,
    nodes,
    health,
    place: placeOf(nodes, chosen),
  });
  if (reusable.length === 0) return free.map(candidate);
  const own = reusable.map((id): Candidate => {
    const { nodes, health } = known.byId.get(id) ?? { nodes: [], health: UNHEALTHY };
    return { id, nodes, health, place: "reusable" };
  });
  return inNaturalOrder([...own, ...free.map(candidate)], ({ id }) => id);
}

function failed(error: string): Selection {
  return { kind: "failed", error };
}

// How a free device lies to the NUMA nodes that the topology manager chose for the container.

/** How a device on these nodes lies to the chosen ones; without topology when none were chosen. */
export function placeOf(
  nodes: readonly number[],
  chosen: ReadonlySet<number> | undefined,
): "aligned" | "unaligned" | "no-topology" {
  if (chosen === undefined || nodes.length === 0) return "no-topology";
  return nodes.some((node) => chosen.has(node)) ? "aligned" : "unaligned";
}
