/** What the device manager needs of the rest of the agent, and what it tells it. */

import type { AllocateResponse, PluginOptions } from "../device/device.js";
import type { AllocationInput, AllocationStrategy, Question } from "../strategies/allocation.js";

export interface ManagerPorts {
  /** Monotonic milliseconds. */
  now(): number;
  /** All sources of pods have spoken once. */
  sourcesReady(): boolean;
  /** The runtime reported the container as running when the agent started. */
  wasRunning(podUid: string, container: string): boolean;
  /** Uids of the pods that hold resources of the node. */
  activePods(): Iterable<string>;
  /** All NUMA nodes of the machine, ascending. */
  machineNodes(): readonly number[];
  readonly strategy: AllocationStrategy;
  readonly codec: ResponseCodec;
  /** Records or resources have changed: writes the checkpoint. Awaited before a container gets its devices. */
  save(): void | Promise<void>;
  /** One `Allocate` has been answered, or failed. */
  allocated?(resource: string, milliseconds: number): void;
  /** A choice was made. */
  chosen?(choice: Choice): void;
}

/** ContainerAllocateResponse as protobuf in base64. */
export interface ResponseCodec {
  encode(response: AllocateResponse): string;
  /** @throws Error when it is none */
  decode(encoded: string): AllocateResponse;
}

/** The devices that were chosen for one container, and out of what. */
export interface Choice {
  readonly input: AllocationInput;
  readonly ids: readonly string[];
  /** What was wrong with the strategy's own answer: the ids are the kubelet's then. */
  readonly violation: string | undefined;
}

/** A connected device plugin, as the manager calls it. */
export interface Endpoint {
  /** Undefined: not known, as before the plugin is back after a restart of the agent. */
  readonly options: PluginOptions | undefined;
  /** Rejects with the plugin's error in Go's format. */
  allocate(ids: readonly string[]): Promise<AllocateAnswer>;
  /** Undefined: an answer without a container. */
  preferredAllocation(question: Question): Promise<readonly string[] | undefined>;
  preStartContainer(ids: readonly string[]): Promise<void>;
  /** Ends the connection. May be called twice. */
  stop(): void;
}

export interface AllocateAnswer {
  /** The response for the requested container; undefined when the plugin returned none. */
  readonly response: AllocateResponse | undefined;
  /** The whole answer, as errors show it. */
  readonly text: string;
}
