/** Victims on disk, from before their kill until they are gone: an agent that dies in between takes no second one for the same shortage. */
import { type Checkpoint, type Clock, Labels, type NodeContext, sleep } from "@hooklet/core";
import type { KeptState } from "@hooklet/core/subsystem";
import { EVICTED } from "./messages.js";

/** Milliseconds that a kill waits for the disk, which may be slow for the very shortage that the kill shall end. */
const PATIENCE = 1000;

export class PendingEvictions {
  readonly #uids = new Set<string>();
  readonly #kept: KeptState<{ readonly pods: readonly string[] }>;

  /** @param failed called with the error of a failed write */
  constructor(checkpoint: Pick<Checkpoint, "keep">, failed: (error: unknown) => void) {
    this.#kept = checkpoint.keep<{ readonly pods: readonly string[] }>({
      value: () => ({ pods: [...this.#uids] }),
      schema: (z) => z.object({ pods: z.array(z.string()) }),
      failed,
      within: PATIENCE,
    });
  }

  /** Uids of an earlier life; they stay until `end`. */
  async load(): Promise<readonly string[]> {
    const { pods = [] } = (await this.#kept.read()) ?? {};
    for (const uid of pods) this.#uids.add(uid);
    return pods;
  }

  /** Resolves once it is on disk, could not be written, or has taken a second: an eviction that frees disk space must not wait for disk space. */
  async begin(uid: string): Promise<void> {
    this.#uids.add(uid);
    await this.#kept.saved();
  }

  /** Removes the victims that have ended. Never rejects, and waits for the disk no longer than `begin` does. */
  async end(isOver: (uid: string) => boolean): Promise<void> {
    const over = [...this.#uids].filter(isOver);
    for (const uid of over) this.#uids.delete(uid);
    if (over.length > 0) await this.#kept.saved();
  }
}

/** The pod is being evicted: it holds what it holds until it is gone. */
export function isUnderWay({ pods }: Pick<NodeContext, "pods">, uid: string): boolean {
  return pods.active().some(({ metadata, status }) => metadata.uid === uid && status?.reason === EVICTED);
}

/** Every round waits for the victims of the previous agent. */
export class EarlierLife {
  #victims: readonly string[] = [];
  #waiting: Promise<void> | undefined;

  constructor(private readonly ctx: NodeContext) {}

  /** @param uids as that agent left them on disk */
  began(uids: readonly string[]): void {
    this.#victims = uids;
  }

  /** Resolves once they are gone, or were waited for as long as the own ones are. Rejects when the runtime cannot tell: ask again. */
  over(): Promise<void> {
    if (this.#victims.length === 0) return Promise.resolve();
    this.#waiting ??= endOfEarlierLife(this.ctx, this.#victims)
      .then(() => {
        this.#victims = [];
      })
      .finally(() => {
        this.#waiting = undefined;
      });
    return this.#waiting;
  }
}

/**
 * Waits for victims of an agent that died before they were gone. A pod that keeps running despite the decision is no longer
 * a victim: the next round decides again.
 */
async function endOfEarlierLife(ctx: NodeContext, uids: readonly string[]): Promise<void> {
  const untouched = (uid: string): boolean =>
    ctx.pods.active().some(({ metadata }) => metadata.uid === uid) && !isUnderWay(ctx, uid);
  const victims = uids.filter((uid) => !untouched(uid));
  if (victims.length === 0) return;
  let running = await podsThatRun(ctx);
  if (victims.every((uid) => !running.has(uid))) return;
  await waitForCleanup(
    ctx.clock,
    victims,
    (uid) => !running.has(uid),
    ctx.signal,
    async () => {
      running = await podsThatRun(ctx);
    },
  );
}

/** Uids of pods of which a container runs, known to a source or not. */
async function podsThatRun({ runtime }: Pick<NodeContext, "runtime">): Promise<ReadonlySet<string>> {
  const containers = await runtime.listContainers();
  return new Set(
    containers.filter(({ state }) => state === "CONTAINER_RUNNING").map(({ labels }) => labels[Labels.podUid] ?? ""),
  );
}

/** Seconds. */
const CLEANUP_TIMEOUT = 30;
const CLEANUP_POLL = 1;

/**
 * Resolves true when all are clean, checked every second, or false after 30 s. Rejects with the signal's reason.
 * @param look called before each check, to trigger the cleanup
 */
export async function waitForCleanup<T>(
  clock: Clock,
  pods: readonly T[],
  isClean: (pod: T) => boolean,
  signal?: AbortSignal,
  look?: () => Promise<void>,
): Promise<boolean> {
  for (let waited = 0; waited < CLEANUP_TIMEOUT; waited += CLEANUP_POLL) {
    await sleep(clock, CLEANUP_POLL * 1000, signal);
    await look?.();
    if (pods.every(isClean)) return true;
  }
  return false;
}
