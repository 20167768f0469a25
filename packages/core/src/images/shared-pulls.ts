/** Concurrent pulls of one image share one pull. It is cancelled when its last caller leaves. */

interface Pull {
  readonly result: Promise<string>;
  readonly stop: AbortController;
  waiting: number;
}

export class SharedPulls {
  readonly #pulls = new Map<string, Pull>();

  /** Rejects with the signal's reason as soon as it aborts; the pull continues for the other callers. */
  async join(name: string, signal: AbortSignal, start: (signal: AbortSignal) => Promise<string>): Promise<string> {
    signal.throwIfAborted();
    const pull = this.#pulls.get(name) ?? this.#start(name, start);
    pull.waiting += 1;
    let leave: (() => void) | undefined;
    const left = new Promise<never>((_, reject) => {
      leave = () => reject(signal.reason);
      signal.addEventListener("abort", leave, { once: true });
    });
    try {
      return await Promise.race([pull.result, left]);
    } finally {
      if (leave !== undefined) signal.removeEventListener("abort", leave);
      pull.waiting -= 1;
      if (pull.waiting === 0) {
        pull.stop.abort(new Error(`no pod waits for image ${name}`));
        // Later callers must not join a pull that is being cancelled.
        if (this.#pulls.get(name) === pull) this.#pulls.delete(name);
      }
    }
  }

  #start(name: string, start: (signal: AbortSignal) => Promise<string>): Pull {
    const stop = new AbortController();
    const result = start(stop.signal);
    const pull = { result, stop, waiting: 0 };
    this.#pulls.set(name, pull);
    const over = (): void => {
      if (this.#pulls.get(name) === pull) this.#pulls.delete(name);
    };
    result.then(over, over);
    return pull;
  }
}
