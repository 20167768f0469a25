/** A scenario in virtual time: what it tells of each pod. */
import { hooklet } from "../../support/agent.js";
import { decisionText, eventText, type PodTold, type Told, wholeEnd, withoutRepeats } from "./events-as-text.js";

type SimulatedRecord = { readonly kind: string } & Readonly<Record<string, string & number & boolean>>;

interface Open {
  readonly events: string[];
  readonly decisions: string[];
  readonly states: string[];
  /** When the phase was last recorded. */
  phaseAt: number;
  phase: string;
  reason: string;
  ready: boolean;
  restarts: number;
  /** Why each container ended the last time. */
  readonly reasons: Map<string, string>;
}

/** Rejects when something of the scenario is not as it expects. */
export async function simulated(file: string, folder: string): Promise<Told> {
  const { stdout, stderr, code } = await hooklet(["simulate", file, "-o", "jsonl"], folder);
  if (code !== 0) throw new Error(stderr);
  const pods = new Map<string, Open>();
  const open = (pod: string): Open => {
    const known = pods.get(pod) ?? {
      events: [],
      decisions: [],
      states: [],
      phaseAt: -1,
      phase: "Pending",
      reason: "",
      ready: false,
      restarts: 0,
      reasons: new Map(),
    };
    pods.set(pod, known);
    return known;
  };
  for (const line of stdout.split("\n").filter((text) => text !== "")) take(JSON.parse(line) as SimulatedRecord, open);
  return Object.fromEntries([...pods].map(([name, pod]) => [name, closed(pod)]));
}

function closed({ events, decisions, states, phase, reason, restarts, reasons }: Open): PodTold {
  return {
    events: withoutRepeats(events),
    decisions: withoutRepeats(decisions),
    states: withoutRepeats(states),
    end: wholeEnd(phase, reason, restarts, reasons),
  };
}

function take(record: SimulatedRecord, open: (pod: string) => Open): void {
  const [, about = ""] = /^(?:pod|container)\/([^/]+\/[^/]+)/.exec(record.object ?? record.subject ?? "") ?? [];
  switch (record.kind) {
    case "event":
      if (about !== "") open(about).events.push(eventText(record as never));
      break;
    case "decision":
      if (about !== "") open(about).decisions.push(decisionText(record as never));
      break;
    case "pod.phase": {
      const pod = open(record.pod ?? "");
      pod.phase = record.phase ?? "";
      pod.reason = record.reason ?? "";
      pod.phaseAt = record.t ?? 0;
      pod.states.push(stateText(pod.phase, pod.ready));
      break;
    }
    case "pod.ready": {
      const pod = open(record.pod ?? "");
      pod.ready = record.ready ?? false;
      // One status has both; a container that ends and starts again at one moment was not ready between.
      if (pod.phaseAt === record.t) pod.states.pop();
      pod.phaseAt = -1;
      pod.states.push(stateText(pod.phase, pod.ready));
      break;
    }
    case "container.exited":
    case "container.killed":
      open(record.pod ?? "").reasons.set(record.container ?? "", record.reason ?? "");
      break;
    case "container.restarted":
      open(record.pod ?? "").restarts += 1;
      break;
    default:
  }
}

/** A pod that has ended is not ready either. */
export function stateText(phase: string, ready: boolean): string {
  return ready && phase === "Running" ? "Running, ready" : phase;
}
