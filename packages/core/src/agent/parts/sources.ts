/** The sources of pods, the control socket's own among them, and the way back to them. */
import type { Pod } from "@hooklet/manifest";
import type { Clock, IdSource } from "@hooklet/utils";
import type { Rejection } from "../../hooks/verdict.js";
import type { ProviderRegistry } from "../../plugin/providers.js";
import { withRejection } from "../../pod/status/pod-status.js";
import { type ControlSource, controlSource } from "../../sources/control.js";
import type { PodSource } from "../../sources/port.js";
import type { StatusHub } from "../../sources/status-hub.js";
import type { Cleanup } from "../cleanup.js";
import { SourceList } from "../source-list.js";
import { SourcesHub } from "../sources-hub.js";
import type { PodsPart } from "./pods.js";
import type { State } from "./state.js";
import type { Telemetry } from "./telemetry.js";

export interface SourcesPart {
  readonly control: ControlSource;
  readonly hub: SourcesHub;
}

/** The sources that every agent has. */
export function ownSources(needs: {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly nodeName: string;
  readonly sources: readonly PodSource[];
  readonly state: State;
  readonly pods: Pick<PodsPart, "manager">;
  readonly telemetry: Pick<Telemetry, "report">;
}): { readonly control: ControlSource; readonly sourceList: SourceList } {
  const { clock, ids, nodeName, sources, state, pods, telemetry } = needs;
  const control = controlSource({
    clock,
    ids,
    nodeName,
    rootDir: state.rootDir,
    report: telemetry.report,
    update: (before, after) => pods.manager.update(before, after),
  });
  const sourceList = new SourceList();
  for (const source of [...sources, control]) sourceList.add(source);
  return { control, sourceList };
}

export function sourcesPart(
  needs: {
    readonly clock: Clock;
    readonly control: ControlSource;
    readonly providers: ProviderRegistry;
    readonly sourceList: SourceList;
    readonly statuses: StatusHub;
    readonly telemetry: Telemetry;
  } & Pick<PodsPart, "manager">,
  cleanup: Cleanup,
): SourcesPart {
  const { clock, control, providers, sourceList, manager, statuses, telemetry } = needs;
  const { events, log, report } = telemetry;
  const sources = sourceList.list();
  for (const source of sources) statuses.add(source);
  cleanup.push(events.watch((event) => statuses.event(event)));
  const tellAgain = (source: string): void => statuses.again(source);
  const { provided } = providers;
  const rejected = (source: string, pod: Pod, why: Rejection): void =>
    statuses.rejected(source, withRejection(pod, why, clock.now()));
  const hub = new SourcesHub({ sources, manager, events, log, clock, provided, rejected, tellAgain, report });
  sourceList.readyWhen(() => hub.isReady());
  cleanup.push(() => hub.stop());
  cleanup.push(() => statuses.stop());
  return { control, hub };
}
