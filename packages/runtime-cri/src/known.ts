/** Whose an id is: containerd's events name ids alone, and a container's status does not name its sandbox. */

export interface Owner {
  readonly podUid: string;
  /** Absent for a sandbox. */
  readonly sandboxId?: string;
}

export class Known {
  readonly #owners = new Map<string, Owner>();

  set(id: string, owner: Owner): void {
    this.#owners.set(id, owner);
  }

  get(id: string): Owner | undefined {
    return this.#owners.get(id);
  }

  forget(id: string): void {
    this.#owners.delete(id);
  }

  /** A sandbox takes its containers with it. */
  forgetSandbox(id: string): void {
    this.#owners.delete(id);
    for (const [container, { sandboxId }] of this.#owners) if (sandboxId === id) this.#owners.delete(container);
  }
}
