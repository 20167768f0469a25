/** When a token is renewed: at 80 % of its life, at the latest after a day, up to ten seconds earlier. Pure. */

export interface Token {
  /** Milliseconds since the epoch, or since any other moment: `now` counts from the same. */
  readonly expires: number;
  /** Requested lifetime in seconds. */
  readonly seconds: number;
}

const DAY = 24 * 3600 * 1000;
const JITTER = 10;

/** @param random from 0 to 1 */
export function needsRefresh({ expires, seconds }: Token, now: number, random: number): boolean {
  const jitter = Math.floor(random * JITTER) * 1000;
  const issued = expires - seconds * 1000;
  const lastFifth = Math.floor((seconds * 20) / 100) * 1000;
  return now > issued + DAY - jitter || now > expires - lastFifth - jitter;
}

export function expired({ expires }: Token, now: number): boolean {
  return now > expires;
}
