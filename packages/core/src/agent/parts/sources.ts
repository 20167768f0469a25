/** The sources of pods, and the control socket's own. */
import type { Clock } from "../../clock.js";
import { type ControlSource, controlSource } from "../../sources/control.js";
import type { PodSource } from "../../sources/port.js";
import type { PodSubscribers } from "../pod-subscribers.js";
import { SourcesHub } from "../sources-hub.js";
import type { Unwind } from "../unwind.js";
import type { PodsPart } from "./pods.js";
import type { RuntimePart } from "./runtime.js";
import type { State } from "./state.js";
import type { Telemetry } from "./telemetry.js";

export interface SourcesPart {
  readonly control: ControlSource;
  readonly hub: SourcesHub;
}

export function sourcesPart(
  needs: {
    readonly clock: Clock;
    readonly sources: readonly PodSource[];
    readonly subscribers: PodSubscribers;
    readonly state: State;
    readonly telemetry: Telemetry;
  } & Pick<RuntimePart, "node"> &
    Pick<PodsPart, "manager">,
  undo: Unwind,
): SourcesPart {
  const { clock, node, manager, subscribers, state, telemetry } = needs;
  const { events, log, report } = telemetry;
  const control = controlSource({ clock, rootDir: state.rootDir, nodeName: node.name });
  const sources: readonly PodSource[] = [...needs.sources, control];
  subscribers.add({
    changed: (pod) => {
      for (const source of sources) source.status?.(pod);
    },
    gone: (pod) => {
      for (const source of sources) source.removed?.(pod.metadata.uid);
    },
  });
  undo.push(
    events.watch((event) => {
      for (const source of sources) source.event?.(event);
    }),
  );
  const hub = new SourcesHub({ sources, manager, events, log, clock, report });
  undo.push(() => hub.stop());
  return { control, hub };
}
