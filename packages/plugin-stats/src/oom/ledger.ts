/** Counts OOM-killed processes of each container, over its restarts. No I/O. */

/** One attempt of a container: what was counted, each way by itself. */
interface Attempt {
  /** In its cgroup's own counter. */
  byCgroup: number;
  /** In the kernel's log. */
  byLog: number;
  /** Reported so far. */
  reported: number;
}

interface Account {
  /** Of attempts that are over and were dropped from `attempts`. */
  past: number;
  /** By the runtime's id, oldest first. */
  readonly attempts: Map<string, Attempt>;
}

/** Attempts of one container that are kept separately: news of an older one does not come any more. */
const ATTEMPTS = 4;

export interface ContainerKey {
  readonly uid: string;
  readonly container: string;
}

export class OomLedger {
  /** By the pod's uid, then by the container's name. */
  readonly #pods = new Map<string, Map<string, Account>>();

  /** Kills in all attempts of the container. */
  total({ uid, container }: ContainerKey): number {
    const account = this.#pods.get(uid)?.get(container);
    if (account === undefined) return 0;
    let sum = account.past;
    for (const attempt of account.attempts.values()) sum += countOf(attempt);
    return sum;
  }

  /** What the cgroup of an attempt has counted until now. */
  counted(key: ContainerKey, id: string, kills: number): void {
    if (kills === 0 && !this.#pods.get(key.uid)?.get(key.container)?.attempts.has(id)) return;
    const attempt = this.#attempt(key, id);
    attempt.byCgroup = Math.max(attempt.byCgroup, kills);
  }

  /** One more kill in the kernel's log. */
  logged(key: ContainerKey, id: string): void {
    this.#attempt(key, id).byLog++;
  }

  /** The runtime reports that an attempt was OOM-killed, whatever was counted. */
  died(key: ContainerKey, id: string): void {
    const attempt = this.#attempt(key, id);
    attempt.byCgroup = Math.max(attempt.byCgroup, 1);
  }

  /** The kills of an attempt that were not reported yet; this call marks them as reported. */
  tell(key: ContainerKey, id: string): number {
    const attempt = this.#pods.get(key.uid)?.get(key.container)?.attempts.get(id);
    if (attempt === undefined) return 0;
    const count = countOf(attempt);
    const news = count - attempt.reported;
    attempt.reported = count;
    return news;
  }

  forget(uid: string): void {
    this.#pods.delete(uid);
  }

  #attempt({ uid, container }: ContainerKey, id: string): Attempt {
    const pod = this.#pods.get(uid) ?? new Map<string, Account>();
    this.#pods.set(uid, pod);
    const account = pod.get(container) ?? { past: 0, attempts: new Map<string, Attempt>() };
    pod.set(container, account);
    const known = account.attempts.get(id);
    if (known !== undefined) return known;
    const attempt = { byCgroup: 0, byLog: 0, reported: 0 };
    account.attempts.set(id, attempt);
    for (const [oldest, { byCgroup, byLog }] of account.attempts) {
      if (account.attempts.size <= ATTEMPTS) break;
      account.past += Math.max(byCgroup, byLog);
      account.attempts.delete(oldest);
    }
    return attempt;
  }
}

/** Both ways count the same kills: one may miss some. */
function countOf({ byCgroup, byLog }: Attempt): number {
  return Math.max(byCgroup, byLog);
}
