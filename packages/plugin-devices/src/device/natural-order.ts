/** Natural order of ids: `gpu-2` before `gpu-10`. Pure. */

/** Runs of digits count as numbers; of equal numbers the one with more zeros in front comes first. */
export function compareNatural(a: string, b: string): number {
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(j);
    if (isDigit(x) && isDigit(y)) {
      const [endOfA, endOfB] = [endOfDigits(a, i), endOfDigits(b, j)];
      const order = compareDigits(a.slice(i, endOfA), b.slice(j, endOfB));
      if (order !== 0) return order;
      [i, j] = [endOfA, endOfB];
      continue;
    }
    if (x !== y) return x - y;
    i++;
    j++;
  }
  const left = a.length - i - (b.length - j);
  if (left !== 0) return left;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A sorted copy. Lists that are in order already, as most plugins send them, cost one pass. */
export function inNaturalOrder<T>(items: readonly T[], key: (item: T) => string): readonly T[] {
  const sorted = items.every((item, index) => {
    const before = items[index - 1];
    return before === undefined || compareNatural(key(before), key(item)) <= 0;
  });
  return sorted ? [...items] : [...items].sort((a, b) => compareNatural(key(a), key(b)));
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function endOfDigits(text: string, from: number): number {
  let end = from;
  while (end < text.length && isDigit(text.charCodeAt(end))) end++;
  return end;
}

/** Compares by value, at any length, without converting to a number. */
function compareDigits(a: string, b: string): number {
  const [x, y] = [a.replace(/^0+/, ""), b.replace(/^0+/, "")];
  if (x.length !== y.length) return x.length - y.length;
  return x < y ? -1 : x > y ? 1 : 0;
}
