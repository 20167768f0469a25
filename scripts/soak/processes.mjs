// The containers as the kernel has them: processes `sleep MARK`.
import { allPids, commandOf } from "../machine.mjs";

/** Mark -> how many processes. */
export function marks() {
  const found = new Map();
  for (const words of allPids().map(commandOf)) {
    const mark = words.at(-1);
    if (!words.includes("sleep") || !/^7\d{5}$/.test(mark ?? "")) continue;
    found.set(mark, (found.get(mark) ?? 0) + 1);
  }
  return found;
}
