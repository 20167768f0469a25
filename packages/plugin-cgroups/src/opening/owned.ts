/** Whose cgroups are this agent's, remembered over a restart. */
import { type Checkpoint, errorText, type Json, type NodeContext, type Timer } from "@hooklet/core";

/** Milliseconds: changes are remembered together. */
const REMEMBER_AFTER = 1000;

export class OwnedPods {
  readonly #checkpoint: Checkpoint;
  #remembering: Timer | undefined;

  /** @param uids those of now */
  constructor(
    private readonly ctx: Pick<NodeContext, "clock" | "log" | "checkpoint">,
    private readonly uids: () => readonly string[],
  ) {
    this.#checkpoint = ctx.checkpoint("pods");
  }

  async read(): Promise<readonly string[]> {
    return readUids(await this.#checkpoint.read());
  }

  changed(): void {
    this.#remembering ??= this.ctx.clock.schedule(REMEMBER_AFTER, () => {
      this.#remembering = undefined;
      void this.#remember();
    });
  }

  async stop(): Promise<void> {
    if (this.#remembering === undefined) return;
    this.#remembering.cancel();
    this.#remembering = undefined;
    await this.#remember();
  }

  async #remember(): Promise<void> {
    try {
      await this.#checkpoint.write({ uids: [...this.uids()] });
    } catch (error) {
      this.ctx.log.error({ err: error }, `cannot remember whose cgroups are the agent's: ${errorText(error)}`);
    }
  }
}

/** Nothing of a file that is not as this plugin writes it. */
function readUids(saved: Json | undefined): readonly string[] {
  if (typeof saved !== "object" || saved === null || !("uids" in saved) || !Array.isArray(saved.uids)) return [];
  return saved.uids.filter((uid: unknown): uid is string => typeof uid === "string");
}
