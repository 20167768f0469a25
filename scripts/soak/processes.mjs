// The containers as the kernel has them: processes `sleep MARK`.
import { allPids, commandOf } from "../machine.mjs";

/** Mark -> how many processes; of marks from `base` on. */
export function marks(base) {
  const found = new Map();
  for (const words of allPids().map(commandOf)) {
    const mark = words.at(-1);
    if (!words.includes("sleep") || !/^\d{6}$/.test(mark ?? "") || mark[0] !== String(base)[0]) continue;
    found.set(mark, (found.get(mark) ?? 0) + 1);
  }
  return found;
}
