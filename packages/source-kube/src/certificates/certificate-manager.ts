/** Keeps one certificate of the node valid: requests the first one, and the next one long before it expires. */
import { type Clock, errorText } from "@hooklet/core";
import { pause } from "@hooklet/core/subsystem";
import { BackOff, certificateBackOff } from "../client/back-off.js";
import { isOf, type Pair, rotateAt } from "./pair.js";
import type { PairStore } from "./pair-store.js";
import type { Wanted } from "./wanted.js";

export interface ManagerPorts {
  readonly clock: Clock;
  readonly random: () => number;
  readonly store: Pick<PairStore, "current" | "currentPath">;
  /** Undefined: nothing can be requested yet. */
  wanted(): Wanted | undefined;
  /** Resolves with the new pair, stored by then. */
  request(wanted: Wanted, signal: AbortSignal): Promise<Pair>;
  /** The pair is another one now. */
  changed(pair: Pair): void;
  failed(error: unknown): void;
}

/** Milliseconds between two checks for changed names and for a wall clock that jumped. */
const LOOK = 10_000;

export class CertificateManager {
  #pair: Pair | undefined;
  /** The request of the current pair: a signer may leave names out, which must not cause requests forever. */
  #asked: string | undefined;
  /** A series of failures is reported once. */
  #failing = false;
  #failures = 0;
  /** Milliseconds since the epoch of the next request. */
  #rotateAt = Number.NEGATIVE_INFINITY;
  readonly #backOff: BackOff;

  constructor(private readonly ports: ManagerPorts) {
    this.#backOff = new BackOff(certificateBackOff, ports.random);
  }

  get current(): Pair | undefined {
    return this.#pair;
  }

  /** Tries that came to nothing. */
  get failures(): number {
    return this.#failures;
  }

  /** What is on disk. A file that is damaged counts as none. */
  async load(): Promise<Pair | undefined> {
    try {
      const pair = await this.ports.store.current();
      if (pair !== undefined) this.#take(pair);
    } catch (error) {
      this.ports.failed(
        new Error(`${this.ports.store.currentPath} cannot be used: ${errorText(error)}; another one is asked for`),
      );
    }
    return this.#pair;
  }

  /** Until the signal aborts; `load` first. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.ports;
    while (!signal.aborted) {
      const wait = await this.#check(signal);
      await pause(clock, wait, signal);
    }
  }

  /** Milliseconds until the next check. */
  async #check(signal: AbortSignal): Promise<number> {
    const { clock, request, failed, changed } = this.ports;
    const wanted = this.ports.wanted();
    if (wanted === undefined) return LOOK / 10;
    if (clock.now() < this.#rotateAt && this.#says(wanted)) return LOOK;
    try {
      const pair = await request(wanted, signal);
      this.#backOff.reset();
      this.#failing = false;
      this.#asked = JSON.stringify(wanted);
      this.#take(pair);
      changed(pair);
      return LOOK;
    } catch (error) {
      this.#failures += 1;
      if (!signal.aborted && !this.#failing) failed(error);
      this.#failing = true;
      return this.#backOff.failed(clock.monotonic());
    }
  }

  #take(pair: Pair): void {
    this.#pair = pair;
    this.#rotateAt = rotateAt(pair, this.ports.random());
  }

  /** It is the node's, and every name that is wanted is in it. */
  #says(wanted: Wanted): boolean {
    const pair = this.#pair;
    if (pair === undefined) return false;
    if (this.#asked === JSON.stringify(wanted)) return true;
    const { commonName, organization, dnsNames, ipAddresses } = wanted;
    if (!isOf(pair, commonName) || !pair.subject.includes(`O=${organization}`)) return false;
    return (
      dnsNames.every((name) => pair.dnsNames.includes(name)) && ipAddresses.every((ip) => pair.ipAddresses.includes(ip))
    );
  }
}
