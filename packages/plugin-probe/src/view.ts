/** `hooklet get probes`. */
import type { NodeContext, View, ViewRow } from "@hooklet/core";
import type { Prober } from "./prober.js";
import type { ProbeWorker } from "./worker/worker.js";

export function probesView(prober: Prober, { pods, clock }: Pick<NodeContext, "pods" | "clock">): View {
  return {
    description: "Probes of all pods with their last results",
    columns: [
      { name: "pod" },
      { name: "container" },
      { name: "kind" },
      { name: "handler" },
      { name: "period" },
      { name: "result" },
      { name: "run" },
      { name: "next" },
      { name: "output" },
      { name: "mean", wide: true },
      { name: "p99", wide: true },
      { name: "last", wide: true },
      { name: "namespace", wide: true },
    ],
    rows: () => [...prober.workers.all()].map((worker) => row(worker, pods, clock)).sort(byName),
  };
}

function row(worker: ProbeWorker, pods: NodeContext["pods"], clock: NodeContext["clock"]): ViewRow {
  const { spec, state, last, latencies } = worker;
  const pod = pods.get(worker.podUid);
  const nextAt = state.onHold ? undefined : worker.nextAt;
  // Below 0: it is due, but others are before it.
  const left = nextAt === undefined ? undefined : nextAt - clock.monotonic();
  return {
    pod: pod?.metadata.name ?? worker.podUid,
    namespace: pod?.metadata.namespace ?? "",
    container: worker.container,
    kind: spec.kind,
    handler: spec.handler,
    period: `${spec.periodMilliseconds / 1000}s`,
    result: last?.result ?? "",
    run: state.resultRun,
    next: state.onHold ? "on hold" : left === undefined ? "now" : `in ${(Math.max(0, left) / 1000).toFixed(1)}s`,
    nextAt: left === undefined ? null : new Date(clock.now() + left).toISOString(),
    output: (last?.output ?? "").split("\n")[0] ?? "",
    mean: shown(latencies.mean),
    p99: shown(latencies.quantile(0.99)),
    last: last === undefined ? "" : new Date(last.at).toISOString(),
    lastOutput: last?.output ?? "",
    onHold: state.onHold,
  };
}

function shown(milliseconds: number | undefined): string {
  return milliseconds === undefined ? "" : `${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)}ms`;
}

function byName(a: ViewRow, b: ViewRow): number {
  const key = (one: ViewRow): string => [one.namespace, one.pod, one.container, one.kind].join("/");
  return key(a) < key(b) ? -1 : 1;
}
