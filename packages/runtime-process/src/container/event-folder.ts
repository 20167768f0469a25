/** The folder in which shims and set-ups tell what happened: one watch for all containers. */
import { type FSWatcher, readdirSync, watch } from "node:fs";
import { type Clock, errorText, type Timer } from "@hooklet/core";
import type { Logger } from "../log.js";

export interface FolderEvent {
  readonly id: string;
  /** `up`, an exit code, or `lost` = no process saw the exit. */
  readonly what: "up" | "lost" | number;
}

/** Looked through now and then, should the kernel have dropped an event. */
const SAFETY_MS = 10_000;
/** Without a watch. */
const POLL_MS = 200;

/** Undefined for other files. */
function parseEventName(name: string): FolderEvent | undefined {
  const found = /^([0-9a-f]{64})\.(up|lost|\d{1,3})$/.exec(name);
  const [, id, what] = found ?? [];
  if (id === undefined || what === undefined) return undefined;
  return { id, what: what === "up" || what === "lost" ? what : Number(what) };
}

/** The container whose output this file is. */
function parseOutputName(name: string): string | undefined {
  return /^([0-9a-f]{64})\.output$/.exec(name)?.[1];
}

export class EventFolder {
  #watcher: FSWatcher | undefined;
  #timer: Timer | undefined;
  #closed = false;

  constructor(
    readonly path: string,
    readonly clock: Clock,
    readonly log: Logger,
  ) {}

  /** `onOutput`: a container wrote something. `onSweep` is called after each read of the whole folder. */
  open(onEvent: (event: FolderEvent) => void, onOutput: (id: string) => void, onSweep: () => void): void {
    try {
      this.#watcher = watch(this.path, { persistent: false }, (_type, name) => {
        const output = name === null ? undefined : parseOutputName(name);
        if (output !== undefined) return onOutput(output);
        const event = name === null ? undefined : parseEventName(name);
        if (event !== undefined) onEvent(event);
      });
      this.#watcher.on("error", (error) => this.#lose(error));
    } catch (error) {
      this.#lose(error);
    }
    const sweep = (): void => {
      if (this.#closed) return;
      try {
        for (const event of this.list()) onEvent(event);
        onSweep();
      } catch (error) {
        this.log.error(`cannot look into ${this.path}: ${errorText(error)}`);
      }
      this.#timer = this.clock.schedule(this.#watcher === undefined ? POLL_MS : SAFETY_MS, sweep);
    };
    this.#timer = this.clock.schedule(this.#watcher === undefined ? POLL_MS : SAFETY_MS, sweep);
  }

  list(): FolderEvent[] {
    return readdirSync(this.path).flatMap((name) => parseEventName(name) ?? []);
  }

  /** Ids of the containers whose output lies here. */
  outputs(): string[] {
    return readdirSync(this.path).flatMap((name) => parseOutputName(name) ?? []);
  }

  close(): void {
    this.#closed = true;
    this.#watcher?.close();
    this.#timer?.cancel();
  }

  #lose(error: unknown): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    this.log.warn(`cannot watch ${this.path}, looking into it every ${POLL_MS} ms instead: ${errorText(error)}`);
  }
}
