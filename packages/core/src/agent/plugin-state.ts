/** Keeps what plugins remember in one checked file: every few seconds when it changed, and at the end. */
import type { Clock, Timer } from "../clock.js";
import type { Json } from "../lib/json.js";
import type { Checkpoint } from "../plugin/contract.js";
import type { PluginHost } from "../plugin/host.js";

const PERIOD = 5_000;

export class PluginState {
  #written = "";
  #timer: Timer | undefined;

  constructor(
    private readonly host: Pick<PluginHost, "snapshot">,
    private readonly checkpoint: Checkpoint,
    private readonly clock: Clock,
    private readonly report: (where: string, error: unknown) => void,
  ) {}

  async load(): Promise<Readonly<Record<string, Json>>> {
    const saved = await this.checkpoint.read();
    if (typeof saved !== "object" || saved === null || Array.isArray(saved)) return {};
    return saved as Readonly<Record<string, Json>>;
  }

  start(): void {
    this.#timer = this.clock.schedule(PERIOD, () => {
      this.save()
        .catch((error: unknown) => this.report("state of the plugins", error))
        .finally(() => this.start());
    });
  }

  /** Writes the newest snapshots, if they differ from what lies on disk. */
  async save(): Promise<void> {
    const snapshot = this.host.snapshot();
    const text = JSON.stringify(snapshot);
    if (text === this.#written || (text === "{}" && this.#written === "")) return;
    await this.checkpoint.write(snapshot);
    this.#written = text;
  }

  async stop(): Promise<void> {
    this.#timer?.cancel();
    await this.save();
  }
}
