/** What was frozen here with all that it holds; that something is frozen at its top alone says nothing of what is below. */
const walked = new WeakSet<object>();

/** Freezes a value and all that it holds, in place: whoever changes it then throws. What went through here is not walked again. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !walked.has(value) && !ArrayBuffer.isView(value)) {
    walked.add(value);
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
