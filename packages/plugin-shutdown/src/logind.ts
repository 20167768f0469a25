/** The plugin's interface to systemd-logind, which delays a shutdown while inhibitor locks are held. */

export interface Lock {
  /** Releases the lock; the shutdown continues. May be called twice. */
  release(): void;
  /** Resolves once the lock is released, by either side. */
  readonly gone: Promise<void>;
}

export interface Logind {
  /** Seconds for which a shutdown is held up at most. Rejects where there is no logind. */
  longestDelay(): Promise<number>;
  /** Asks for more; it counts a moment later. */
  setLongestDelay(seconds: number): Promise<void>;
  /** Holds the next shutdown up. */
  inhibit(): Promise<Lock>;
  /** Whether a shutdown is under way. */
  isGoingDown(): Promise<boolean>;
  /** Calls back when that may have changed, until the signal aborts. Rejects when the listener has ended. */
  watch(changed: () => void, signal: AbortSignal): Promise<void>;
}
