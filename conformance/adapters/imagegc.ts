/** Image garbage collection over a timeline: the shape that most of its topics share. Times in seconds, null = before anything. */
import type { ImageRecord } from "@hooklet/plugin-imagegc";
import {
  candidatesOf,
  type Detection,
  detect,
  freeOld,
  freeSpace,
  type ImagePolicy,
  type ImageUse,
  imageKey,
  imageRound,
  kubeletPolicy,
  unusedRound,
} from "@hooklet/plugin-imagegc/internal";
import type { Adapter } from "../adapter.js";
import { onlyKnown } from "../known-keys.js";

interface RawImage {
  readonly id: string;
  readonly size: number;
  readonly pinned?: boolean;
  readonly handler?: string;
}

interface RawContainer {
  readonly imageID: string;
  readonly imageVolumes?: readonly string[];
  readonly handler?: string;
}

interface Step {
  readonly do: "detect" | "free" | "free_old" | "delete_unused" | "gc";
  readonly at: number | null;
  readonly now?: number;
  readonly images?: readonly RawImage[];
  readonly containers?: readonly RawContainer[];
  readonly bytes?: number;
  readonly capacity?: number;
  readonly available?: number;
  readonly began?: number;
  readonly remove_fails?: readonly string[];
  readonly stats_error?: string;
  readonly force_lastUsed?: Readonly<Record<string, number>>;
}

interface Input {
  readonly policy?: {
    readonly high?: number;
    readonly low?: number;
    readonly minAge?: number;
    readonly maxAge?: number;
  };
  readonly gates?: { readonly RuntimeClassInImageCriApi?: boolean };
  readonly steps: readonly Step[];
}

const STEP_KEYS: Readonly<Record<Step["do"], readonly string[]>> = {
  detect: ["now"],
  free: ["bytes", "remove_fails"],
  free_old: ["began", "remove_fails", "force_lastUsed"],
  delete_unused: ["remove_fails"],
  gc: ["capacity", "available", "began", "remove_fails", "stats_error"],
};

/** What the vectors write for the texts of failed removals. */
const ERRORS = "<errors>";

export const adapter: Adapter<Input> = {
  run(input) {
    onlyKnown(input, ["policy", "gates", "steps"], "input");
    onlyKnown(input.policy ?? {}, ["high", "low", "minAge", "maxAge"], "policy");
    onlyKnown(input.gates ?? {}, ["RuntimeClassInImageCriApi"], "gates");
    const node = new Timeline(policyOf(input), input.gates?.RuntimeClassInImageCriApi ?? false);
    return { steps: input.steps.map((step) => node.run(step)) };
  },
  expected: (expected: { readonly steps: readonly Record<string, unknown>[] }) => ({
    steps: expected.steps.map(asAnswered),
  }),
  part: (answer: { steps: readonly Record<string, unknown>[] }, expected: { steps: readonly object[] }) => ({
    steps: answer.steps.map((step, index) => partOf(step, expected.steps[index] ?? {})),
  }),
};

class Timeline {
  #images: readonly RawImage[] = [];
  #containers: readonly RawContainer[] = [];
  #seen: Detection = { records: new Map(), inUse: new Map() };

  constructor(
    private readonly policy: ImagePolicy,
    private readonly byHandler: boolean,
  ) {}

  run(step: Step): Record<string, unknown> {
    onlyKnown(step, ["do", "at", "images", "containers", ...STEP_KEYS[step.do]], `step ${step.do}`);
    this.#images = step.images ?? this.#images;
    this.#containers = step.containers ?? this.#containers;
    const detectedAt = step.at === null ? undefined : step.at * 1000;
    this.#look(detectedAt, (step.now ?? step.at ?? 0) * 1000);
    if (step.do === "detect") return { records: this.#records() };
    return this.#collect(step, detectedAt ?? 0);
  }

  #collect(step: Exclude<Step, { do: "detect" }>, now: number): Record<string, unknown> {
    this.#force(step.force_lastUsed ?? {});
    const { candidates } = candidatesOf(this.#seen, this.policy);
    const began = (step.began ?? step.at ?? 0) * 1000;
    const removed: string[] = [];
    const fails = new Set(step.remove_fails);
    const remove = ({ key }: ImageRecord): { error?: string } => {
      if (fails.has(key)) return { error: ERRORS };
      removed.push(key);
      // Of images listed twice under one id, a runtime's removal takes one entry from the list.
      const first = this.#images.findIndex((image) => this.#key(image) === key);
      this.#images = this.#images.filter((_, index) => index !== first);
      return {};
    };
    const usage = { capacityBytes: step.capacity ?? 0, availableBytes: step.available ?? 0 };
    const stats = step.stats_error === undefined ? { usage } : { error: step.stats_error };
    const answer = this.#answer(step, candidates, { now, began }, remove, stats);
    // What the agent removed it remembers no longer, whether or not the runtime still shows it.
    const records = new Map([...this.#seen.records].filter(([key]) => !removed.includes(key)));
    this.#seen = { ...this.#seen, records };
    const remaining = this.#images.map((image) => this.#key(image)).sort();
    return { ...answer, removed, remaining, remaining_count: remaining.length };
  }

  #answer(
    step: Step,
    candidates: readonly ImageRecord[],
    times: { readonly now: number; readonly began: number },
    remove: (image: ImageRecord) => { error?: string },
    stats: { error?: string; usage?: { capacityBytes: number; availableBytes: number } },
  ): Record<string, unknown> {
    const { policy } = this;
    switch (step.do) {
      case "free": {
        const walk = freeSpace(candidates, step.bytes ?? 0, policy, times.now);
        const { freed, error = null } = played(walk, ({ image }) => remove(image));
        return { freed, error };
      }
      case "free_old": {
        const walk = freeOld(candidates, policy, times);
        const { remaining, error = null } = played(walk, ({ image }) => remove(image));
        return { left_candidates: remaining.map(({ key }) => key), error };
      }
      default: {
        const round =
          step.do === "gc"
            ? imageRound({ candidates, policy, ...times })
            : unusedRound({ candidates, policy, ...times });
        const result = played(round, (request) => (request.kind === "usage" ? stats : remove(request.image)));
        const { failure, usagePercent = null, bytesToFree = null, freed } = result;
        const { message = null, event } = failure ?? {};
        return {
          freed,
          usagePercent,
          bytesToFree,
          error: message,
          event: event === undefined ? null : { type: "Warning", reason: event, message },
        };
      }
    }
  }

  #look(detectedAt: number | undefined, now: number): void {
    const images = this.#images.map(({ id, size, pinned = false, handler }) => ({
      id,
      size,
      pinned,
      names: [],
      ...this.#handler(handler),
    }));
    const uses = this.#containers.flatMap(({ imageID, imageVolumes = [], handler }): ImageUse[] =>
      [imageID, ...imageVolumes].map((imageId) => ({ imageId, by: "container", ...this.#handler(handler) })),
    );
    this.#seen = detect(this.#seen.records, { images, uses, detectedAt, now });
  }

  #handler(handler: string | undefined): { handler?: string } {
    return this.byHandler && handler !== undefined ? { handler } : {};
  }

  #key({ id, handler }: RawImage): string {
    return imageKey(id, this.#handler(handler).handler);
  }

  #force(lastUsed: Readonly<Record<string, number>>): void {
    const records = new Map(this.#seen.records);
    for (const [key, seconds] of Object.entries(lastUsed)) {
      const record = records.get(key);
      if (record !== undefined) records.set(key, { ...record, lastUsed: seconds * 1000 });
    }
    this.#seen = { ...this.#seen, records };
  }

  #records(): Record<string, unknown> {
    const seconds = (time: number | undefined) => (time === undefined ? null : time / 1000);
    const rows = [...this.#seen.records.values()].map(({ key, firstDetected, lastUsed }) => [
      key,
      { firstDetected: seconds(firstDetected), lastUsed: seconds(lastUsed) },
    ]);
    return Object.fromEntries(rows) as Record<string, unknown>;
  }
}

function policyOf({ policy = {} }: Input): ImagePolicy {
  const { high, low, minAge = 0, maxAge = 0 } = policy;
  return {
    ...kubeletPolicy,
    highThresholdPercent: high ?? kubeletPolicy.highThresholdPercent,
    // A policy with a high mark alone is one whose low mark is 0, left out by Go's JSON.
    lowThresholdPercent: low ?? (high === undefined ? kubeletPolicy.lowThresholdPercent : 0),
    minAge: minAge * 1000,
    maxAge: maxAge * 1000,
  };
}

function played<Request, Answer, Result>(
  round: Generator<Request, Result, Answer>,
  answer: (request: Request) => Answer,
): Result {
  let step = round.next(undefined as never);
  while (!step.done) step = round.next(answer(step.value));
  return step.value;
}

/** The error of `stats_error: error` is written in two ways. */
function asAnswered(step: Record<string, unknown>): Record<string, unknown> {
  const error = step.error === "the stats error" ? "error" : step.error;
  return {
    ...step,
    ...(error === undefined ? {} : { error }),
    ...(Array.isArray(step.remaining) ? { remaining: [...step.remaining].sort() } : {}),
  };
}

/** What an expectation speaks of; where it says only what kind of error there is, so does the answer. */
function partOf(step: Record<string, unknown>, expected: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(expected).map(([key, wanted]: [string, unknown]) => {
      const value = step[key];
      if (key === "error" && wanted === "insufficient") {
        return [key, (step.event as { reason?: string } | null)?.reason === "FreeDiskSpaceFailed" ? wanted : value];
      }
      if (key === "error" && typeof value === "string")
        return [key, value.replace(/older than \S+,/, "older than <maxAge>,")];
      if (
        key === "event" &&
        typeof value === "object" &&
        value !== null &&
        typeof wanted === "object" &&
        wanted !== null
      ) {
        return [key, partOf(value as Record<string, unknown>, wanted)];
      }
      return [key, value];
    }),
  );
}
