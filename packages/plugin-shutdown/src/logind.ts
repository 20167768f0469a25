/** What the plugin needs of systemd-logind, which holds a shutdown up for those who asked it to. */

export interface Lock {
  /** The shutdown goes on. May be called twice. */
  release(): void;
  /** Resolves once nobody holds it any more, whoever let it go. */
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
  /** Calls back when that may have changed, until the signal aborts. Rejects when nobody listens any more. */
  watch(changed: () => void, signal: AbortSignal): Promise<void>;
}
