/** Steps and expectations with their times. Pure. */
import type { ApiObject, Pod } from "@hooklet/manifest";
import type { Expectation, Step } from "./schema.js";

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
