/** Images and rounds for tests. */
import type { ImageRecord } from "../../../src/index.js";
import {
  type Answer,
  candidatesOf,
  detect,
  type ImagePolicy,
  type ImageUse,
  imageRound,
  kubeletPolicy,
  type Request,
  type Round,
  type RoundResult,
  type SeenImage,
  why,
} from "../../../src/internal.js";

export const MIB = 1024 ** 2;
export const MINUTE = 60_000;

export const seen = (id: string, parts: Partial<SeenImage> = {}): SeenImage => ({
  id,
  names: [`example/${id}:1`],
  size: 10 * MIB,
  pinned: false,
  ...parts,
});

export const record = (id: string, parts: Partial<ImageRecord> = {}): ImageRecord => ({
  ...seen(id),
  key: id,
  firstDetected: 0,
  lastUsed: undefined,
  ...parts,
});

export const use = (imageId: string, by = "container default/web/main"): ImageUse => ({ imageId, by });

export const policy = (parts: Partial<ImagePolicy> = {}): ImagePolicy => ({ ...kubeletPolicy, minAge: 0, ...parts });

/** Plays a round; `answer` says how a request went, default: well. */
export function play(round: Round, answer: (request: Request) => Answer): RoundResult {
  let step = round.next({});
  while (!step.done) step = round.next(answer(step.value));
  return step.value;
}

export interface Scene {
  readonly records: readonly ImageRecord[];
  readonly uses?: readonly ImageUse[];
  readonly policy?: Partial<ImagePolicy>;
  readonly now?: number;
  readonly began?: number;
  readonly capacity?: number;
  readonly available?: number;
  readonly fails?: readonly string[];
}

/** One round over records as they were remembered: detection, candidates, round. */
export function roundOf(
  scene: Scene,
): RoundResult & { readonly removed: readonly string[]; readonly why: readonly string[] } {
  const { records, uses = [], now = 60 * MINUTE, began = 0, capacity = 1000 * MIB, available = 100 * MIB } = scene;
  const rules = policy(scene.policy);
  const before = new Map(records.map((one) => [one.key, one]));
  const detection = detect(before, { images: records, uses, detectedAt: now, now });
  const removed: string[] = [];
  const { candidates } = candidatesOf(detection, rules);
  const result = play(imageRound({ candidates, policy: rules, now, began }), (request) => {
    if (request.kind === "usage") return { usage: { capacityBytes: capacity, availableBytes: available } };
    if (scene.fails?.includes(request.image.id)) return { error: `cannot remove ${request.image.id}` };
    removed.push(request.image.id);
    return {};
  });
  return { ...result, removed, why: result.outcomes.map((one) => why(one, { ...result, policy: rules, now })) };
}

/** `id: verdict` of each candidate. */
export const verdicts = ({ outcomes }: RoundResult): readonly string[] =>
  outcomes.map(({ image, verdict }) => `${image.id}: ${verdict}`);
