/** Steps and expectations with their times, and the runtime's operations as steps name them. Pure. */

import type { ApiObject, Pod } from "@hooklet/manifest";
import type { Expectation, Step } from "./schema.js";

// Steps and expectations with their times.

export interface TimedStep {
  /** Milliseconds from the start. */
  readonly at: number;
  /** Its place in the file. */
  readonly index: number;
  readonly step: Step;
  /** Manifests of `apply`, with `replicas` worked in. */
  readonly pods: readonly Pod[];
  /** ConfigMaps and Secrets of `apply`; they are there before its pods. */
  readonly objects: readonly ApiObject[];
  /** Of a trace: what cannot be done any more (the pod was evicted) is passed over. */
  readonly mayFail?: boolean;
}

export interface TimedExpectation {
  /** Milliseconds; undefined: at the end. */
  readonly at: number | undefined;
  readonly index: number;
  readonly line: number | undefined;
  readonly expectation: Expectation;
}

// The runtime's operations as scenarios call them: by the CRI's names.

const operations = {
  RunPodSandbox: "runSandbox",
  StopPodSandbox: "stopSandbox",
  RemovePodSandbox: "removeSandbox",
  ListPodSandbox: "listSandboxes",
  PodSandboxStatus: "sandboxStatus",
  CreateContainer: "createContainer",
  StartContainer: "startContainer",
  StopContainer: "stopContainer",
  RemoveContainer: "removeContainer",
  ListContainers: "listContainers",
  ContainerStatus: "containerStatus",
  UpdateContainerResources: "updateContainerResources",
  ExecSync: "execSync",
  ImageStatus: "imageStatus",
  ListImages: "listImages",
  PullImage: "pullImage",
  RemoveImage: "removeImage",
  ImageFsInfo: "imageFsInfo",
  ListContainerStats: "listContainerStats",
} as const;

export type Operation = (typeof operations)[keyof typeof operations];

export const operationNames = Object.keys(operations);

export function operationOf(name: string): Operation | undefined {
  return Object.hasOwn(operations, name) ? operations[name as keyof typeof operations] : undefined;
}
