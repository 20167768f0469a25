/** What a plugin tells: events, decisions, metrics; and what it keeps. */
import type { Pod } from "@hooklet/manifest";
import type { Json } from "@hooklet/utils";
import type { OptionsSchema } from "./strategy.js";

/** One choice that was made, and why. `hooklet explain` prints it. */
export interface Decision {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** `record` fills in `at` and `plugin`. */
  readonly plugin: string;
  /** What decided: the name of a strategy, or of the plugin. */
  readonly strategy: string;
  /** What it is about: `pod/<namespace>/<name>`, `container/<namespace>/<pod>/<name>`, `image/<id>`, `device/<resource>/<id>`. */
  readonly subject: string;
  /** What could have been chosen, and what became of each. Can be empty. */
  readonly considered: readonly { readonly candidate: string; readonly verdict: string; readonly why: string }[];
  /** What was done, in a sentence that `hooklet explain` shows. */
  readonly outcome: string;
}

export interface DecisionRecorder {
  record(decision: Omit<Decision, "at" | "plugin">): void;
}

export type EventType = "Normal" | "Warning";

/** Events about a pod, as the kubelet words them. The same event again within ten minutes increments its count. */
export interface EventRecorder {
  /** `container` gives the event the field path `spec.containers{name}`; annotations are the event's own. */
  pod(
    pod: Pod,
    type: EventType,
    reason: string,
    message: string,
    container?: string,
    annotations?: Readonly<Record<string, string>>,
  ): void;
  node(type: EventType, reason: string, message: string): void;
}

/** One state file of a plugin: written atomically, with a checksum. */
export interface Checkpoint {
  /** Undefined when there is none, or it was damaged: then it was moved aside and an event reports it. */
  read(): Promise<Json | undefined>;
  write(value: Json): Promise<void>;
  /** Keeps a value that changes: spaced, in order, tried again. */
  keep<T>(options: KeepOptions<T>): KeptState<T>;
}

export interface KeepOptions<T> {
  /** What holds now, as JSON has it. Asked for when a write begins. */
  value(): T;
  /** A file with any other content is moved aside like a damaged one. */
  readonly schema: OptionsSchema<T>;
  /** A write failed, or was not done in time. Called once until one succeeds. */
  failed(error: unknown): void;
  /** Milliseconds between two writes: changes of meanwhile are one. Default 0. */
  readonly spacing?: number;
  /** Milliseconds for which `saved` and `close` wait for the disk. Default: until it has answered. */
  readonly within?: number;
  /** Milliseconds after which a write that failed is tried again. Default: with the next change. */
  readonly retry?: number;
}

/** A value on disk. Writes are done in order; values that were overtaken are never written. */
export interface KeptState<T> {
  /** The value that an earlier agent left; undefined when there is none, or it was moved aside. Rejects when the file cannot be read. */
  read(): Promise<T | undefined>;
  /** To be called at each change: what holds then is written soon. */
  changed(): void;
  /** Writes what holds now. Resolves once it is on disk, could not be written, or has taken too long. Never rejects. */
  saved(): Promise<void>;
  /** Writes what is not written yet, and plans nothing more. Never rejects. */
  close(): Promise<void>;
}

/** Names must start with the plugin's own prefix or be the kubelet's; a clash of two plugins is an error at start. */
export interface Metrics {
  counter(options: MetricOptions): {
    inc(labels?: Record<string, string>, by?: number): void;
    remove(labels: Record<string, string>): void;
  };
  gauge(options: MetricOptions): {
    set(value: number, labels?: Record<string, string>): void;
    remove(labels: Record<string, string>): void;
  };
  /**
   * Families whose values are read once per scrape of their path, within 10 s: without scrapes they cost nothing.
   * A reading that fails leaves its families out of this scrape, and is reported. Families of one call are read together.
   */
  collect(families: readonly CollectOptions[], read: () => Collected | Promise<Collected>): void;
  histogram(options: MetricOptions & { readonly buckets?: readonly number[] }): {
    observe(value: number, labels?: Record<string, string>): void;
    remove(labels: Record<string, string>): void;
  };
}

/** Samples by the name of their family. */
export type Collected = Readonly<Record<string, Iterable<Sample>>>;

/** One value of a metric that is read at each scrape. */
export interface Sample {
  /** Of a histogram: which of its lines; `_bucket` has its upper bound as label `le`, and counts what is at most that. */
  readonly suffix?: "_bucket" | "_sum" | "_count";
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
  /** Milliseconds since the epoch: when it was measured, where that is not now. */
  readonly timestamp?: number;
}

export interface CollectOptions extends MetricOptions {
  readonly type: "counter" | "gauge" | "histogram";
}

export interface MetricOptions {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  /** HTTP path it is shown on; default `/metrics`. */
  readonly path?: string;
}
