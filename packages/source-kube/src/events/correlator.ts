/**
 * Selects the events for the API: repeats are counted, many similar ones are combined, and no object may flood
 * the server (client-go's tools/record). Pure but for the time, which is passed in.
 */
import type { Event } from "kubernetes-types/core/v1.js";

/** Milliseconds within which similar events are counted together. */
const WINDOW = 600_000;
/** Messages of one reason for one object that are sent one by one within the window: the tenth is combined, as in client-go. */
const MOST_MESSAGES = 9;
/** Events of one type for one object at once; one more every five minutes. */
const BURST = 25;
const REFILL = 300_000;
/** Objects and events that are remembered, as client-go's caches. */
const REMEMBERED = 4_096;
const COMBINED = "(combined from similar events): ";

export type Telling =
  | { readonly do: "create"; readonly key: string; readonly event: Event }
  | { readonly do: "update"; readonly key: string; readonly event: Event };

interface Similar {
  readonly messages: Set<string>;
  last: number;
}

interface Sent {
  readonly name: string;
  readonly first: string | undefined;
  count: number;
}

export class EventCorrelator {
  readonly #similar = new Map<string, Similar>();
  readonly #sent = new Map<string, Sent>();
  readonly #budgets = new Map<string, { tokens: number; at: number }>();

  /** `now`: monotonic milliseconds. Undefined: it is one too many. */
  take(event: Event, now: number): Telling | undefined {
    const { involvedObject: object, reason = "", message = "", type = "" } = event;
    // Containers of a pod share what it may say.
    const of = [object.kind, object.namespace, object.name, object.uid, type].join("\n");
    const alike = `${of}\n${reason}`;
    const combined = this.#floods(alike, message, now);
    const key = combined ? `${alike}\n${COMBINED}` : [alike, object.fieldPath, message].join("\n");
    const before = this.#sent.get(key);
    const known = before ?? { name: event.metadata.name ?? "", first: event.firstTimestamp, count: 0 };
    known.count += 1;
    remember(this.#sent, key, known);
    // Counted anyway: the next event that is sent has the whole count.
    if (!this.#mayTell(of, now)) return undefined;
    const text = combined ? `${COMBINED}${message}` : message;
    const first = known.first === undefined ? {} : { firstTimestamp: known.first };
    const metadata = { ...event.metadata, name: known.name };
    const full: Event = { ...event, ...first, metadata, message: text, count: known.count };
    return { do: before === undefined ? "create" : "update", key, event: full };
  }

  /** The API has it no more: the next one of its kind is a new one. */
  forget(key: string): void {
    this.#sent.delete(key);
  }

  #floods(alike: string, message: string, now: number): boolean {
    const before = this.#similar.get(alike);
    const similar =
      before !== undefined && now - before.last <= WINDOW ? before : { messages: new Set<string>(), last: now };
    similar.last = now;
    remember(this.#similar, alike, similar);
    if (similar.messages.has(message)) return false;
    if (similar.messages.size >= MOST_MESSAGES) return true;
    similar.messages.add(message);
    return false;
  }

  #mayTell(of: string, now: number): boolean {
    const budget = this.#budgets.get(of) ?? { tokens: BURST, at: now };
    budget.tokens = Math.min(BURST, budget.tokens + (now - budget.at) / REFILL);
    budget.at = now;
    remember(this.#budgets, of, budget);
    if (budget.tokens < 1) return false;
    budget.tokens -= 1;
    return true;
  }
}

/** The one that was used longest ago goes first. */
function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= REMEMBERED) return;
  const oldest = map.keys().next().value;
  if (oldest !== undefined) map.delete(oldest);
}
