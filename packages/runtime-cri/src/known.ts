/** Whose an id is: containerd's events name ids alone, and a container's status does not name its sandbox. */

import { type Clock, sleep } from "@hooklet/core";
import { CallError, codeOf } from "./call-errors.js";

export interface Owner {
  readonly podUid: string;
  /** Absent for a sandbox. */
  readonly sandboxId?: string;
}

export class Known {
  readonly #owners = new Map<string, Owner>();
  /** By what is stopped: whether the runtime has done it. */
  readonly #stops = new Map<string, Promise<boolean>>();

  set(id: string, owner: Owner): void {
    this.#owners.set(id, owner);
  }

  get(id: string): Owner | undefined {
    return this.#owners.get(id);
  }

  forget(id: string): void {
    this.#owners.delete(id);
  }

  /** The agent stops it itself: the runtime knows its end with the answer to that, not before. */
  async stops(id: string, call: Promise<void>): Promise<void> {
    const over = call.then(
      () => true,
      () => false,
    );
    this.#stops.set(id, over);
    try {
      await call;
    } finally {
      if (this.#stops.get(id) === over) this.#stops.delete(id);
    }
  }

  /** Resolves once the agent's own stop is over, with whether it was done; at once where there is none. */
  async stopped(id: string): Promise<boolean> {
    return (await this.#stops.get(id)) ?? false;
  }

  /** A sandbox takes its containers with it. */
  forgetSandbox(id: string): void {
    this.#owners.delete(id);
    for (const [container, { sandboxId }] of this.#owners) if (sandboxId === id) this.#owners.delete(container);
  }
}

// What the call of an agent that was killed leaves for a moment: a name still reserved, a container still starting.

const TRIES = 12;
const PAUSE = 250;

/** Repeats `make` while its name is reserved and nothing of that name exists. */
export async function onceFree<T>(
  clock: Clock,
  make: () => Promise<T>,
  exists: () => Promise<boolean>,
  signal?: AbortSignal,
): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await make();
    } catch (error) {
      const taken = error instanceof CallError && codeOf(error) === "already-exists";
      if (!taken || tried === TRIES || (await exists())) throw error;
      await sleep(clock, PAUSE, signal);
    }
  }
}

/** containerd has no code for it. */
const UNSETTLED = /is in (starting|removing) state/;

/** Repeats `remove` while the start of an earlier agent is being undone. */
export async function onceSettled<T>(clock: Clock, remove: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await remove();
    } catch (error) {
      if (!(error instanceof CallError) || !UNSETTLED.test(error.details) || tried === TRIES) throw error;
      await sleep(clock, PAUSE);
    }
  }
}
