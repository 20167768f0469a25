/** Why a container that runs is not ready: what its probes met. */
import { expect, test } from "@jest/globals";
import type { Event } from "kubernetes-types/core/v1.js";
import { anEvent, aPod } from "../../../../../server/test/samples.js";
import { probeCause } from "../../../../src/print/cause/waiting-cause.js";

const unhealthy = (message: string, fieldPath?: string): Event =>
  anEvent("web", "Unhealthy", { message, involvedObject: { kind: "Pod", name: "web", fieldPath } });

function causeOf(probes: object, started: boolean | undefined, ...events: readonly Event[]) {
  const pod = aPod("web", { spec: { containers: [{ name: "main", ...probes }, { name: "db" }] } });
  const status = {
    name: "main",
    ready: false,
    restartCount: 0,
    image: "",
    imageID: "",
    ...(started !== undefined && { started }),
  };
  return probeCause({ pod, events, decisions: [], pods: [], logs: new Map() }, status);
}

const waits = (probe: string) => ({
  cause: `The ${probe} probe of container main has not succeeded yet.`,
  next: "Wait for it: hooklet wait --for condition=Ready pod/web.",
});

const fails = (probe: string, why: string) => ({
  cause: `The ${probe} probe of container main fails${why}`,
  next: `Let the program answer the probe, or change ${probe}Probe in its manifest and apply it again.`,
});

const both = { startupProbe: {}, readinessProbe: {} };

test.each([
  ["a container without probes has none that fails", causeOf({}, true), undefined],
  ["one that has started, with a startup probe alone, neither", causeOf({ startupProbe: {} }, true), undefined],
  ["until it has started, the startup probe counts", causeOf(both, undefined), waits("startup")],
  ["then the readiness probe", causeOf(both, true), waits("readiness")],
  ["without a startup probe, the readiness probe", causeOf({ readinessProbe: {} }, false), waits("readiness")],
  [
    "its newest failure is told",
    causeOf(both, true, unhealthy("Readiness probe failed: old"), unhealthy("Readiness probe failed: new\n")),
    fails("readiness", ": new."),
  ],
  [
    "an error of the probe is a failure",
    causeOf(
      both,
      false,
      unhealthy("Startup probe errored and resulted in unknown state: no sh", "spec.containers{main}"),
    ),
    fails("startup", ": no sh."),
  ],
  ["a failure without words too", causeOf(both, true, unhealthy("Readiness probe failed:")), fails("readiness", ".")],
  [
    "failures of another probe do not count",
    causeOf(both, true, unhealthy("Startup probe failed: x")),
    waits("readiness"),
  ],
  [
    "failures of another container do not count",
    causeOf(both, true, unhealthy("Readiness probe failed: x", "spec.containers{db}")),
    waits("readiness"),
  ],
])("%s", (_rule, cause, expected) => expect(cause).toEqual(expected));
