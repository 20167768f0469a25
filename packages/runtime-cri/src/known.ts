/** Whose an id is: containerd's events name ids alone, and a container's status does not name its sandbox. */

export interface Owner {
  readonly podUid: string;
  /** Absent for a sandbox. */
  readonly sandboxId?: string;
}

export class Known {
  readonly #owners = new Map<string, Owner>();
  /** By sandbox. */
  readonly #stops = new Map<string, Promise<void>>();

  set(id: string, owner: Owner): void {
    this.#owners.set(id, owner);
  }

  get(id: string): Owner | undefined {
    return this.#owners.get(id);
  }

  forget(id: string): void {
    this.#owners.delete(id);
  }

  /** The agent stops the sandbox itself: the runtime knows its end with the answer to that, not before. */
  async stops(id: string, call: Promise<void>): Promise<void> {
    const over = call.then(
      () => undefined,
      () => undefined,
    );
    this.#stops.set(id, over);
    try {
      await call;
    } finally {
      if (this.#stops.get(id) === over) this.#stops.delete(id);
    }
  }

  /** Resolves once the agent's own stop of the sandbox is over, however it ended. */
  stopped(id: string): Promise<void> | undefined {
    return this.#stops.get(id);
  }

  /** A sandbox takes its containers with it. */
  forgetSandbox(id: string): void {
    this.#owners.delete(id);
    for (const [container, { sandboxId }] of this.#owners) if (sandboxId === id) this.#owners.delete(container);
  }
}
