import type { LinuxContainerResources } from "@hooklet/cri-api";
import type { Pod } from "@hooklet/manifest";
import { invalid } from "@hooklet/utils";
import { annotationField, annotationName, Claims, cgroupParent, resources, sandboxField, text } from "./claims.js";
import type { SandboxPlan } from "./contract.js";

export interface SandboxPlanFacts {
  readonly pod: Pod;
  readonly attempt: number;
  /** The sandbox exists already. */
  readonly exists: boolean;
}

export interface SandboxPlanResult {
  /** "" when no plugin set one. */
  readonly cgroupParent: string;
  readonly resources?: LinuxContainerResources;
  readonly overhead?: LinuxContainerResources;
  /** Undefined: no plugin set one. */
  readonly runtimeHandler?: string;
  /** What plugins set, without the pod's own. */
  readonly annotations: Readonly<Record<string, string>>;
}

/** A sandbox without additions. */
export const emptySandboxPlan: SandboxPlanResult = { cgroupParent: "", annotations: {} };

/** Collects what plugins add to one sandbox before it is made. Each field has one owner. */
export class SandboxPlanBuilder {
  readonly #claims = new Claims("sandbox");
  readonly #annotations = new Map<string, string>();
  #cgroupParent = "";
  #resources: LinuxContainerResources | undefined;
  #overhead: LinuxContainerResources | undefined;
  #runtimeHandler: string | undefined;

  constructor(private readonly facts: SandboxPlanFacts) {}

  /** The plan as `plugin` sees it; every method throws once `over` is aborted. */
  as(plugin: string, signal: AbortSignal, over: Pick<AbortSignal, "aborted"> = signal): SandboxPlan {
    const own =
      <Argument extends unknown[]>(set: (...values: Argument) => void) =>
      (...values: Argument): void => {
        if (over.aborted || signal.aborted) {
          throw invalid(
            `The sandbox plan of plugin "${plugin}"`,
            "calls while its beforeSandbox runs",
            "a call after that",
          );
        }
        set(...values);
      };
    return {
      ...this.facts,
      signal,
      setCgroupParent: own((path: string) => {
        const clean = cgroupParent(path);
        this.#claims.claim(sandboxField("cgroup parent"), plugin);
        this.#cgroupParent = clean;
      }),
      setResources: own((value: LinuxContainerResources) => {
        const checked = resources("resources of a sandbox", value);
        this.#claims.claim(sandboxField("resources"), plugin);
        this.#resources = checked;
      }),
      setOverhead: own((value: LinuxContainerResources) => {
        const checked = resources("overhead of a sandbox", value);
        this.#claims.claim(sandboxField("overhead"), plugin);
        this.#overhead = checked;
      }),
      setRuntimeHandler: own((handler: string) => {
        text("runtime handler of a sandbox", handler);
        this.#claims.claim(sandboxField("runtime handler"), plugin);
        this.#runtimeHandler = handler;
      }),
      setAnnotation: own((name: string, value: string) => {
        annotationName(name);
        text(`annotation ${name}`, value);
        this.#claims.claim(annotationField(name), plugin);
        this.#annotations.set(name, value);
      }),
    };
  }

  result(): SandboxPlanResult {
    return {
      cgroupParent: this.#cgroupParent,
      ...(this.#resources !== undefined && { resources: this.#resources }),
      ...(this.#overhead !== undefined && { overhead: this.#overhead }),
      ...(this.#runtimeHandler !== undefined && { runtimeHandler: this.#runtimeHandler }),
      annotations: Object.fromEntries(this.#annotations),
    };
  }
}
