/** What plugins say of pods and containers, checked, and kept for pods that are yet to be taken over. */
import { type ContainerRef, isQualifiedName, parseQuantity } from "@hooklet/manifest";
import { invalid } from "@hooklet/utils";
import type { AllocatedResourceStatus, AppliedResources, PodCondition, PodsPort } from "../../plugin/contract.js";
import type { PodEvent } from "../state.js";
import { ownConditions } from "../status/conditions.js";

export interface PodOverridesPorts {
  /** Applies an override to a pod; false when there is no such pod. */
  dispatch(uid: string, event: PodEvent): boolean;
  /** The pod runs from before and is not taken over yet. */
  isRestored(uid: string): boolean;
}

const statuses: readonly unknown[] = ["True", "False", "Unknown"];
const healths: readonly unknown[] = ["Healthy", "Unhealthy", "Unknown"];

type Words = Pick<PodsPort, "setContainerReady" | "setContainerStarted" | "setAppliedResources" | "setCondition">;

/** Overrides that are set before a running pod is taken over hold from its first published status. */
export class PodOverrides implements Words {
  readonly #early = new Map<string, PodEvent[]>();

  constructor(private readonly ports: PodOverridesPorts) {}

  setContainerReady({ podUid, container }: ContainerRef, ready: boolean): void {
    this.#say(podUid, { type: "gate", container, gate: { ready } });
  }

  setContainerStarted({ podUid, container }: ContainerRef, started: boolean): void {
    this.#say(podUid, { type: "gate", container, gate: { started } });
  }

  /** @throws NodeAgentError INVALID for what is no quantity */
  setAppliedResources({ podUid, container }: ContainerRef, resources: AppliedResources | undefined): void {
    for (const [name, quantity] of Object.entries({ ...resources?.requests, ...resources?.limits })) {
      checkQuantity(`${name} of container ${container}`, quantity);
    }
    this.#say(podUid, { type: "resourcesApplied", container, resources: structuredClone(resources) });
  }

  /** @throws NodeAgentError INVALID for an unknown health */
  setAllocatedResourcesStatus(
    { podUid, container }: ContainerRef,
    status: readonly AllocatedResourceStatus[],
    plugin: string,
  ): void {
    for (const { name, resources } of status) {
      for (const { resourceID, health } of resources) {
        if (!healths.includes(health)) throw invalid(`health of ${name} ${resourceID}`, healths.join(", "), health);
      }
    }
    this.#say(podUid, { type: "resourcesAllocated", container, plugin, status: structuredClone(status) });
  }

  /** @throws NodeAgentError INVALID for a type that is core's own, or no name of a condition */
  setCondition(uid: string, type: string, condition: PodCondition | undefined): void {
    if (ownConditions.includes(type)) throw invalid("type of a pod condition", "none of the agent's own", type);
    if (!isQualifiedName(type)) throw invalid("type of a pod condition", "a name like PodResizePending", type);
    if (condition !== undefined && !statuses.includes(condition.status)) {
      throw invalid(`status of condition ${type}`, statuses.join(", "), condition.status);
    }
    this.#say(uid, {
      type: "conditionSet",
      condition: type,
      state: condition === undefined ? undefined : { ...condition },
    });
  }

  /** The overrides set before the pod was taken over; forgotten by this call. */
  takeEarly(uid: string): readonly PodEvent[] {
    const events = this.#early.get(uid) ?? [];
    this.#early.delete(uid);
    return events;
  }

  /** No pod is pending any more. */
  clear(): void {
    this.#early.clear();
  }

  #say(uid: string, event: PodEvent): void {
    if (this.ports.dispatch(uid, event) || !this.ports.isRestored(uid)) return;
    const known = this.#early.get(uid);
    if (known === undefined) this.#early.set(uid, [event]);
    else known.push(event);
  }
}

function checkQuantity(what: string, quantity: unknown): void {
  try {
    parseQuantity(quantity as string);
  } catch {
    throw invalid(what, "a quantity", quantity);
  }
}
