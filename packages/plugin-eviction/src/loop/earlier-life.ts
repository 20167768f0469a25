/** What an agent that died had begun. */
import { Labels, type NodeContext } from "@hooklet/core";
import { EVICTED } from "../words/words.js";
import { waitForCleanup } from "./cleanup.js";

/** The pod is being evicted: it holds what it holds until it is gone. */
export function isUnderWay({ pods }: Pick<NodeContext, "pods">, uid: string): boolean {
  return pods.active().some(({ metadata, status }) => metadata.uid === uid && status?.reason === EVICTED);
}

/** Rounds wait for the victims of an agent before this one, whoever asks for them. */
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
 * Victims of an agent that died before they were gone are waited for as its own would have been. One that runs on as if nothing had
 * been decided is nobody's victim: the next round decides anew.
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
