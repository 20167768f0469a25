/** Detects images and removes them, one round at a time. round.ts decides; the ports access the node. */
import { errorText } from "@hooklet/core";
import { inOrder, type OrderStrategy } from "./image-order.js";
import type { DiskUsage, ImagePolicy } from "./images/image-policy.js";
import {
  type Detection,
  detect,
  type ImageRecord,
  type ImageRecords,
  type ImageUse,
  type SeenImage,
} from "./images/image-records.js";
import { candidatesOf, type Kept } from "./images/keep.js";
import type { Memory } from "./images/last-use.js";
import { beginning } from "./images/messages.js";
import {
  type Answer,
  imageRound,
  type Removal,
  type RemovalReason,
  type Round,
  type RoundResult,
  rehearse,
  unusedRound,
} from "./images/round.js";

/** Characters kept of what the runtime says to one removal. */
const LONGEST_ERROR = 1024;

/** The node, as image garbage collection sees it. Each method rejects when the node cannot tell. */
export interface ImagePorts {
  /** The clock of the records. */
  now(): number;
  images(): Promise<readonly SeenImage[]>;
  /** The uses of these images; read after the list, so that an image used since then does not count as unused. */
  uses(images: readonly SeenImage[]): Promise<readonly ImageUse[]>;
  usage(): Promise<DiskUsage>;
  /** False: it is used after all, and stays. */
  remove(image: ImageRecord): Promise<boolean>;
  /** After each removal that worked. */
  removed(image: ImageRecord, reason: RemovalReason): void;
  /** The strategy's answer was not used. */
  orderFault(fault: string): void;
}

/** A round with its record. */
export interface RoundReport extends RoundResult {
  readonly kept: readonly Kept[];
  /** When it was decided, on the clock of the records. */
  readonly now: number;
  readonly policy: ImagePolicy;
}

export interface ImageCollectorParts {
  readonly ports: ImagePorts;
  readonly policy: ImagePolicy;
  readonly order: OrderStrategy;
  readonly signal: AbortSignal;
}

type Begin = (candidates: readonly ImageRecord[], now: number) => Round;

export class ImageCollector {
  #records = new Map<string, ImageRecord>();
  #remembered: Memory["images"] = new Map();
  #began: number;
  /** Names of images that came into use since the last detection. */
  #touched = new Set<string>();
  #turn: Promise<unknown> = Promise.resolve();
  #inRound = false;

  constructor(private readonly parts: ImageCollectorParts) {
    this.#began = parts.ports.now();
  }

  /** Restores what an earlier agent saved; call it before the first detection. */
  remember(memory: Memory): void {
    this.#remembered = memory.images;
    this.#began = memory.began;
  }

  get began(): number {
    return this.#began;
  }

  /** As of the last detection. */
  get records(): ImageRecords {
    return this.#records;
  }

  /** A container of this image is about to be made: a round under way leaves it alone. */
  touch(name: string): void {
    this.#touched.add(name);
  }

  /** Reads all images and their uses. */
  look(): Promise<Detection> {
    return this.#oneAtATime(() => this.#detectNow(this.parts.ports.now()));
  }

  /**
   * One round; its failure is part of the report. Rejects when the node cannot be read, and with the reason of a signal
   * that is aborted, before the next removal.
   */
  collect(signal?: AbortSignal): Promise<RoundReport> {
    const { policy } = this.parts;
    const begin: Begin = (candidates, now) => imageRound({ candidates, policy, now, began: this.#began });
    return this.#oneAtATime(() => this.#round(begin, signal));
  }

  /** Removes all unused images, for disk pressure. Rejects as `collect` does. */
  reclaim(signal?: AbortSignal): Promise<RoundReport> {
    const { policy } = this.parts;
    return this.#oneAtATime(() => this.#round((candidates, now) => unusedRound({ candidates, policy, now }), signal));
  }

  /** What `collect` would do now, or with other thresholds; removes nothing. Does not wait for a round under way, which may take long. */
  plan(thresholds: Partial<ImagePolicy> = {}): Promise<RoundReport> {
    const policy = { ...this.parts.policy, ...thresholds };
    if (this.#inRound) return this.#plan(policy, (now) => this.#detect(now));
    return this.#oneAtATime(() => this.#plan(policy, (now) => this.#detectNow(now)));
  }

  async #plan(policy: ImagePolicy, look: (now: number) => Promise<Detection>): Promise<RoundReport> {
    const now = this.parts.ports.now();
    const { candidates, kept } = candidatesOf(await look(now), policy);
    const ordered = this.#ordered(candidates, now);
    const round = imageRound({ candidates: ordered, policy, now, began: this.#began });
    const usage = await this.parts.ports.usage().then(
      (found) => ({ found, error: undefined }),
      (error: unknown) => ({ found: undefined, error: errorText(error) }),
    );
    return { ...rehearse(round, usage.found, usage.error), kept, now, policy };
  }

  async #detectNow(now: number): Promise<Detection> {
    this.#touched = new Set();
    const detection = await this.#detect(now);
    this.#records = detection.records;
    this.#remembered = new Map();
    return detection;
  }

  /** A detection whose result is not stored. */
  async #detect(now: number): Promise<Detection> {
    const { ports } = this.parts;
    const images = await ports.images();
    const uses = await ports.uses(images);
    const before = this.#records.size > 0 ? this.#records : this.#remembered;
    return detect(before, { images, uses, detectedAt: now, now: ports.now() });
  }

  async #round(begin: Begin, signal: AbortSignal | undefined): Promise<RoundReport> {
    const { policy, ports } = this.parts;
    this.#inRound = true;
    try {
      const now = ports.now();
      const { candidates, kept } = candidatesOf(await this.#detectNow(now), policy);
      const result = await this.#carryOut(begin(this.#ordered(candidates, now), now), signal);
      return { ...result, kept, now, policy };
    } finally {
      this.#inRound = false;
    }
  }

  async #carryOut(round: Round, signal: AbortSignal | undefined): Promise<RoundResult> {
    let step = round.next({});
    while (!step.done) {
      this.parts.signal.throwIfAborted();
      signal?.throwIfAborted();
      step = round.next(step.value.kind === "usage" ? await this.#usage() : await this.#remove(step.value));
    }
    return step.value;
  }

  async #usage(): Promise<Answer> {
    try {
      return { usage: await this.parts.ports.usage() };
    } catch (error) {
      return { error: errorText(error) };
    }
  }

  async #remove({ image, reason }: Removal): Promise<Answer> {
    const { ports } = this.parts;
    if (image.names.some((name) => this.#touched.has(name)) || this.#touched.has(image.id)) return { inUse: true };
    try {
      if (!(await ports.remove(image))) return { inUse: true };
    } catch (error) {
      return { error: beginning(errorText(error), LONGEST_ERROR) };
    }
    // What comes back under this id is a new image.
    this.#records.delete(image.key);
    ports.removed(image, reason);
    return {};
  }

  #ordered(candidates: readonly ImageRecord[], now: number): readonly ImageRecord[] {
    const { candidates: ordered, fault } = inOrder(this.parts.order, { candidates, now });
    if (fault !== undefined) this.parts.ports.orderFault(fault);
    return ordered;
  }

  #oneAtATime<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }
}
