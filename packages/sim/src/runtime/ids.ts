import { createHash } from "node:crypto";

/**
 * Ids that depend on what they name and not on the order of creation, since concurrent pods start in no fixed
 * order. 64 hex digits, as containerd's.
 */
export class Ids {
  readonly #used = new Map<string, number>();
  readonly #ips = new Map<string, string>();
  readonly #taken = new Set<string>();

  /** Another one each time the same thing is made again. */
  next(what: string): string {
    const times = this.#used.get(what) ?? 0;
    this.#used.set(what, times + 1);
    return createHash("sha256").update(`${what} ${times}`).digest("hex");
  }

  /** The address of a pod, unique in 10.64.0.0/10. */
  ip(podUid: string): string {
    const known = this.#ips.get(podUid);
    if (known !== undefined) return known;
    for (let times = 0; ; times++) {
      const hash = createHash("sha256").update(`${podUid} ${times}`).digest();
      const ip = `10.${64 + ((hash[0] ?? 0) & 63)}.${hash[1]}.${hash[2]}`;
      if (this.#taken.has(ip)) continue;
      this.#taken.add(ip);
      this.#ips.set(podUid, ip);
      return ip;
    }
  }
}
