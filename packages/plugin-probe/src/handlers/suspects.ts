/**
 * Who of those that a process probes ends it. What ends it does so a while after its answer (in a garbage collection), so all that were
 * probed in it lately may have: they are halved, each half goes to a process of its own, and so on, until one is left. Pure. Own.
 */

/** The processes: of all, of either half of the suspects, and of who was found. */
export type Room = "all" | "left" | "right" | "found";

/** Milliseconds after its last probe in which a target may have ended the process. */
const LATELY = 120_000;
/** Milliseconds without an end after which suspects are like all others again. */
const CLEARED = 600_000;

interface Kept {
  room: Exclude<Room, "all">;
  /** Monotonic milliseconds. */
  since: number;
}

export class Suspects {
  readonly #kept = new Map<string, Kept>();
  /** Target -> room and time of its last probe; in the order of their times. */
  readonly #probed = new Map<string, { readonly room: Room; readonly at: number }>();

  /** Where a target is probed from now (monotonic milliseconds). */
  place(target: string, now: number): Room {
    const kept = this.#kept.get(target);
    if (kept !== undefined && now - kept.since >= CLEARED) this.#kept.delete(target);
    const room = this.#kept.get(target)?.room ?? "all";
    this.#probed.delete(target);
    this.#probed.set(target, { room, at: now });
    this.#forget(now);
    return room;
  }

  /** It was probed until now. */
  answered(target: string, room: Room, now: number): void {
    this.#probed.delete(target);
    this.#probed.set(target, { room, at: now });
  }

  /** The process of a room ended: the targets that may have ended it. */
  ended(room: Room, now: number): readonly string[] {
    this.#forget(now);
    const targets = [...this.#probed].filter(([, probed]) => probed.room === room).map(([target]) => target);
    if (room === "found") {
      this.#keep(targets, room, now);
      return targets;
    }
    // It was one of these: the other half had nothing to do with it.
    for (const [target, kept] of this.#kept) if (kept.room !== "found") this.#kept.delete(target);
    if (targets.length === 1) this.#keep(targets, "found", now);
    else {
      const half = Math.ceil(targets.length / 2);
      this.#keep(targets.slice(0, half), "left", now);
      this.#keep(targets.slice(half), "right", now);
    }
    return targets;
  }

  #keep(targets: readonly string[], room: Exclude<Room, "all">, now: number): void {
    for (const target of targets) this.#kept.set(target, { room, since: now });
  }

  #forget(now: number): void {
    for (const [target, { at }] of this.#probed) {
      if (now - at < LATELY) return;
      this.#probed.delete(target);
    }
  }
}
