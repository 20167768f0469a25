/** Pods whose devices have changed their health, on their way to a new status (the kubelet's update channel). */

/** Updates that wait at most; further ones are dropped, as in the kubelet: the next sync of the pod shows the health anyway. */
const CAPACITY = 100;

export class HealthUpdates {
  #waiting: (readonly string[])[] = [];
  #dropped = 0;

  /** @param podUids of one report; each once. False: the queue is full. */
  push(podUids: readonly string[]): boolean {
    const pods = [...new Set(podUids)];
    if (pods.length === 0) return true;
    if (this.#waiting.length >= CAPACITY) {
      this.#dropped++;
      return false;
    }
    this.#waiting.push(pods);
    return true;
  }

  /** All that wait, oldest first. */
  take(): readonly (readonly string[])[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }

  /** The number of dropped updates. */
  get dropped(): number {
    return this.#dropped;
  }
}
