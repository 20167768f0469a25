/** When a certificate is renewed (client-go's certificate manager). Pure. */

/** Milliseconds since the epoch. */
export interface Life {
  readonly notBefore: number;
  readonly notAfter: number;
}

/** After 70 to 90 % of its life, so that the nodes of a cluster do not come all at once. `random`: from 0 to below 1. */
export function rotateAt({ notBefore, notAfter }: Life, random: number): number {
  return notBefore + (notAfter - notBefore) * (0.7 + 0.2 * random);
}

export function isOver({ notAfter }: Life, now: number): boolean {
  return now >= notAfter;
}
