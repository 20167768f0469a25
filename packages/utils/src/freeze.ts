/** What was frozen here with all that it holds; that something is frozen at its top alone says nothing of what is below. */
const walked = new WeakSet<object>();

/**
 * Freezes a value and everything in it, in place, to any depth: values come from others. A value that was frozen here is not
 * walked again.
 */
export function deepFreeze<T>(value: T): T {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const one = open.pop();
    if (typeof one !== "object" || one === null || walked.has(one) || ArrayBuffer.isView(one)) continue;
    walked.add(one);
    Object.freeze(one);
    for (const inner of Object.values(one)) open.push(inner);
  }
  return value;
}
