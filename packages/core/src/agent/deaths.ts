/**
 * Which pod's handling ended the agent, and how often in a row. The third time the pod is set aside: what runs of it runs on, and
 * nobody handles it until its manifest changes or it is deleted. One checked file, written before the agent ends. Of an
 * agent that could not, under-way.ts has the pods; they are not counted yet.
 */
import { errorText } from "../errors.js";
import type { Json } from "../lib/json.js";
import { isPlainRecord } from "../lib/record.js";
import type { Checkpoint } from "../plugin/contract.js";
import type { FatalPods } from "../pod/life/probation.js";
import type { LeftUnderWay, UnderWay } from "./under-way.js";

/** Lives of the agent in a row. */
const SET_ASIDE_AFTER = 3;
const MAX_TEXT = 300;

export interface Death {
  readonly count: number;
  /** What ended the agent last. */
  readonly error: string;
}

type Ledger = Readonly<Record<string, Death>>;

export interface DeathPorts {
  readonly checkpoint: Checkpoint;
  readonly underWay: Pick<UnderWay, "wellNow" | "well" | "close">;
  report(where: string, error: unknown): void;
}

/**
 * The ledger after the agent ended over one of some pods, or over nobody's. The row of who was handled well in that life is broken; of
 * whom its turn did not come, nothing is known. Pure.
 */
export function afterDeath(ledger: Ledger, { over, well }: LeftUnderWay, error: string): Ledger {
  const kept = Object.entries(ledger).filter(([uid, { count }]) => count >= SET_ASIDE_AFTER || !well.includes(uid));
  const dead = over.map((uid) => [uid, { count: (ledger[uid]?.count ?? 0) + 1, error }] as const);
  return Object.fromEntries([...kept, ...dead]);
}

/** The ledger after a life that ended in order. Pure. */
export function afterLife(ledger: Ledger): Ledger {
  return Object.fromEntries(Object.entries(ledger).filter(([, { count }]) => count >= SET_ASIDE_AFTER));
}

export class Deaths implements FatalPods {
  #ledger: Ledger = {};

  constructor(private readonly ports: DeathPorts) {}

  async load(): Promise<void> {
    const saved = await this.ports.checkpoint.read();
    if (isPlainRecord(saved)) {
      this.#ledger = Object.fromEntries(
        Object.entries(saved).flatMap(([uid, death]) => (isDeath(death) ? [[uid, death] as const] : [])),
      );
    }
  }

  /** The agent is about to end over something that nobody foresaw. Resolves once that is on disk, or could not be written. */
  async died(uid: string | undefined, error: unknown): Promise<void> {
    const died = { over: uid === undefined ? [] : [uid], well: this.ports.underWay.wellNow };
    await this.#become(afterDeath(this.#ledger, died, errorText(error).slice(0, MAX_TEXT)));
    this.ports.underWay.close();
  }

  /** The agent ends in order. */
  async ended(): Promise<void> {
    await this.#become(afterLife(this.#ledger));
    this.ports.underWay.close();
  }

  deathsOver(uid: string): number {
    return this.#ledger[uid]?.count ?? 0;
  }

  handledWell(uid: string): void {
    this.ports.underWay.well(uid);
  }

  whySetAside(uid: string): string | undefined {
    const { count = 0, error } = this.#ledger[uid] ?? {};
    if (count < SET_ASIDE_AFTER) return undefined;
    return (
      `Handling the pod ended the agent ${count} times in a row, last with: ${error}. ` +
      "What runs of it runs on, unattended. Change its manifest, or delete it, to have it handled again."
    );
  }

  forget(uid: string): void {
    if (this.#ledger[uid] === undefined) return;
    const { [uid]: _gone, ...others } = this.#ledger;
    void this.#become(others);
  }

  async #become(ledger: Ledger): Promise<void> {
    const changed = JSON.stringify(ledger) !== JSON.stringify(this.#ledger);
    this.#ledger = ledger;
    if (!changed) return;
    try {
      await this.ports.checkpoint.write(ledger as unknown as Json);
    } catch (error) {
      this.ports.report("memory of deaths", error);
    }
  }
}

function isDeath(value: unknown): value is Death {
  return isPlainRecord(value) && Number.isInteger(value.count) && typeof value.error === "string";
}
