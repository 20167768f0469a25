import { errorText } from "@hooklet/utils";
import type { Logger } from "pino";

/** What has been started, to be stopped in reverse order. */
export class Cleanup {
  readonly #steps: (() => Promise<void> | void)[] = [];
  #done: Promise<void> | undefined;

  constructor(private readonly log: Logger) {}

  push(step: () => Promise<void> | void): void {
    this.#steps.push(step);
  }

  /** Runs every step once, even if others fail. Never rejects: errors are logged. */
  run(): Promise<void> {
    this.#done ??= this.#run();
    return this.#done;
  }

  async #run(): Promise<void> {
    for (const step of this.#steps.toReversed()) {
      try {
        await step();
      } catch (error) {
        this.log.error({ err: error }, `stopping: ${errorText(error)}`);
      }
    }
  }
}
