/** The agent's telemetry: log, metrics, events, decisions. */

import { type Clock, errorText } from "@hooklet/utils";
import type { Logger } from "pino";
import { DecisionLog, EventLog } from "../../events/recorder.js";
import { createPodMetrics, type PodMetrics } from "../../metrics/pod-metrics.js";
import type { Metrics } from "../../plugin/contract.js";
import { MetricRegistries } from "../../plugin/metrics.js";

/** Number of events and decisions kept in memory. */
const EVENTS_KEPT = 5_000;
const DECISIONS_KEPT = 5_000;

export interface Telemetry {
  readonly log: Logger;
  readonly registries: MetricRegistries;
  /** Core's own registry. */
  readonly coreMetrics: Metrics;
  readonly metrics: PodMetrics;
  readonly events: EventLog;
  readonly decisions: DecisionLog;
  /** Reports a failure in the background. */
  report(where: string, error: unknown): void;
}

export function telemetryPart(needs: {
  readonly clock: Clock;
  readonly log: Logger;
  readonly nodeName: string;
}): Telemetry {
  const { clock, log, nodeName } = needs;
  const report = (where: string, error: unknown): void => {
    log.error({ err: error }, `${where}: ${errorText(error)}`);
  };
  const registries = new MetricRegistries(clock, report);
  const coreMetrics = registries.forOwner("core");
  return {
    log,
    registries,
    coreMetrics,
    metrics: createPodMetrics(coreMetrics),
    events: new EventLog({ clock, nodeName, capacity: EVENTS_KEPT, report }),
    decisions: new DecisionLog(clock, DECISIONS_KEPT, report),
    report,
  };
}
