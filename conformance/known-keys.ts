/** An input that an adapter does not understand whole must fail, not pass by chance. */

/** @throws Error naming the keys of `input` that are not among `known`, and the place */
export function onlyKnown(input: object, known: readonly string[], place: string): void {
  const unknown = Object.keys(input).filter((key) => !known.includes(key));
  if (unknown.length > 0) throw new Error(`${place}: the adapter does not know ${unknown.join(", ")}`);
}
