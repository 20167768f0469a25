/** Whose an id is: containerd's events name ids alone, and a container's status does not name its sandbox. */

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
