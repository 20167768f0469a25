/** The kubelet's prober metrics, on /metrics/probes: counted by each worker, collected at each scrape. */
import type { Metrics, Pod } from "@hooklet/core";
import type { Sample } from "@hooklet/core/subsystem";
import { kindText, type ProbeKind } from "./types.js";

const PATH = "/metrics/probes";
const RESULTS = { success: "successful", failure: "failed", unknown: "unknown" } as const;
const TYPES = { liveness: kindText("liveness"), readiness: kindText("readiness"), startup: kindText("startup") };

const total = {
  name: "prober_probe_total",
  type: "counter",
  help: "Cumulative number of a liveness, readiness or startup probe for a container by result.",
  labels: ["probe_type", "result", "container", "pod", "namespace", "pod_uid"],
  path: PATH,
} as const;
const duration = {
  name: "prober_probe_duration_seconds",
  type: "histogram",
  help: "Duration in seconds for a probe response.",
  labels: ["probe_type", "container", "pod", "namespace"],
  path: PATH,
} as const;

/** Upper bounds of the buckets, seconds: Prometheus' usual ones. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

type Outcome = keyof typeof RESULTS;

/** The series of one worker. */
export interface WorkerMetrics {
  /** `seconds`: how long the round took. */
  probed(result: Outcome, seconds: number): void;
  remove(): void;
}

export function createMetrics(metrics: Metrics): (pod: Pod, container: string, kind: ProbeKind) => WorkerMetrics {
  const all = new AllSeries();
  metrics.collect([total, duration], () => ({
    [total.name]: [...all.series].flatMap((series) => series.counted()),
    [duration.name]: all.histograms(),
  }));
  return (pod, container, kind) => new Series(all, pod, container, kind);
}

/** The series that there are, and of those that have gone what a histogram may not lose. */
class AllSeries {
  readonly series = new Set<Series>();
  /** By labels: how many series have them, and the sum of those that had them as well. It is gone with the last of them. */
  readonly #shares = new Map<string, Share>();

  add(series: Series): void {
    if (this.series.has(series)) return;
    this.series.add(series);
    const labels = series.labels();
    const key = keyOf(labels);
    const share = this.#shares.get(key) ?? { labels, holders: 0, retired: undefined };
    share.holders += 1;
    this.#shares.set(key, share);
  }

  remove(series: Series): void {
    if (!this.series.delete(series)) return;
    const key = keyOf(series.labels());
    const share = this.#shares.get(key);
    if (share === undefined) return;
    share.holders -= 1;
    if (share.holders === 0) this.#shares.delete(key);
    else if (series.timed !== undefined) share.retired = added(share.retired, series.timed);
  }

  /** A histogram's lines for each set of labels. Pods of one workload have the same. */
  histograms(): readonly Sample[] {
    const sums = new Map<string, Sum>();
    for (const [key, { retired }] of this.#shares) if (retired !== undefined) sums.set(key, added(undefined, retired));
    for (const series of this.series) {
      if (series.timed === undefined) continue;
      const key = keyOf(series.labels());
      sums.set(key, added(sums.get(key), series.timed));
    }
    return [...sums].flatMap(([key, sum]) => histogram(this.#shares.get(key)?.labels ?? {}, sum));
  }
}

/** There is one for every probe: it keeps numbers, and nothing that it can make again. */
class Series implements WorkerMetrics {
  #success = 0;
  #failure = 0;
  #unknown = 0;
  #seconds = 0;
  /** Rounds that were timed by bucket, those beyond the last bound at the end. */
  #buckets: Uint32Array | undefined;

  constructor(
    private readonly all: AllSeries,
    private readonly pod: Pod,
    private readonly container: string,
    private readonly kind: ProbeKind,
  ) {}

  probed(result: Outcome, seconds: number): void {
    if (result === "success") this.#success += 1;
    else if (result === "failure") this.#failure += 1;
    else this.#unknown += 1;
    this.all.add(this);
    if (result === "failure") return;
    this.#buckets ??= new Uint32Array(BOUNDS.length + 1);
    this.#seconds += seconds;
    let bucket = 0;
    while (bucket < BOUNDS.length && seconds > (BOUNDS[bucket] ?? 0)) bucket += 1;
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1;
  }

  remove(): void {
    this.all.remove(this);
  }

  counted(): readonly Sample[] {
    const { name, namespace, uid } = this.pod.metadata;
    const { container } = this;
    const counts = { success: this.#success, failure: this.#failure, unknown: this.#unknown };
    return (Object.keys(RESULTS) as Outcome[]).flatMap((result) => {
      if (counts[result] === 0) return [];
      const probe_type = TYPES[this.kind];
      const labels = { probe_type, container, namespace, result: RESULTS[result], pod: name, pod_uid: uid };
      return [{ labels, value: counts[result] }];
    });
  }

  /** Undefined: nothing was timed. */
  get timed(): Timed | undefined {
    return this.#buckets === undefined ? undefined : { seconds: this.#seconds, buckets: this.#buckets };
  }

  /** Those of its histogram. */
  labels(): Labels {
    const { container, pod } = this;
    const { namespace } = pod.metadata;
    return { probe_type: TYPES[this.kind], container, namespace, pod: workloadName(pod) };
  }
}

type Labels = Readonly<Record<string, string>>;

interface Timed {
  readonly seconds: number;
  readonly buckets: ArrayLike<number>;
}

interface Sum {
  seconds: number;
  readonly buckets: number[];
}

interface Share {
  readonly labels: Labels;
  holders: number;
  retired: Sum | undefined;
}

function keyOf(labels: Labels): string {
  return JSON.stringify(labels);
}

/** Adds to the sum, or to a new one. */
function added(
  sum: Sum = { seconds: 0, buckets: Array<number>(BOUNDS.length + 1).fill(0) },
  { seconds, buckets }: Timed,
): Sum {
  sum.seconds += seconds;
  for (const index of sum.buckets.keys()) sum.buckets[index] = (sum.buckets[index] ?? 0) + (buckets[index] ?? 0);
  return sum;
}

function histogram(labels: Labels, { seconds, buckets }: Sum): Sample[] {
  let count = 0;
  const lines = buckets.map((inside, index): Sample => {
    count += inside;
    return { suffix: "_bucket", labels: { le: String(BOUNDS[index] ?? "+Inf"), ...labels }, value: count };
  });
  return [...lines, { suffix: "_sum", labels, value: seconds }, { suffix: "_count", labels, value: count }];
}

/** The pod's name without what a Deployment or another owner has generated (the kubelet's getPodLabelName). */
function workloadName(pod: Pod): string {
  const { name, generateName, labels } = pod.metadata;
  if (generateName === undefined || generateName === "") return name;
  const base = name.split("-").slice(0, -1).join("-");
  const hash = labels?.["pod-template-hash"];
  return hash === undefined ? base : base.replaceAll(`-${hash}`, "");
}
