import type { Pod } from "@hooklet/manifest";
import type { LinuxContainerResources } from "../runtime/port.js";
import type { SandboxPlan } from "./contract.js";
export interface SandboxPlanFacts {
  readonly pod: Pod;
  readonly attempt: number;
  /** The sandbox is there already. */
  readonly exists: boolean;
}
export interface SandboxPlanResult {
  /** "" when nobody made one. */
  readonly cgroupParent: string;
  readonly resources?: LinuxContainerResources;
  readonly overhead?: LinuxContainerResources;
  /** What plugins set, without the pod's own. */
  readonly annotations: Readonly<Record<string, string>>;
}
/** A sandbox to which nobody adds anything. */
export declare const emptySandboxPlan: SandboxPlanResult;
/** Collects what plugins add to one sandbox before it is made. Each field has one owner. */
export declare class SandboxPlanBuilder {
  #private;
  private readonly facts;
  constructor(facts: SandboxPlanFacts);
  /** The plan as `plugin` sees it; every method throws once `over` is aborted. */
  as(plugin: string, signal: AbortSignal, over?: Pick<AbortSignal, "aborted">): SandboxPlan;
  result(): SandboxPlanResult;
}
