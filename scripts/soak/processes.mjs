// The containers as the kernel has them: processes `sleep MARK`.
import { readdirSync, readFileSync } from "node:fs";

/** Mark -> how many processes. */
export function marks() {
  const found = new Map();
  for (const pid of readdirSync("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    const words = commandOf(pid);
    const mark = words.at(-1);
    if (!words.includes("sleep") || !/^7\d{5}$/.test(mark ?? "")) continue;
    found.set(mark, (found.get(mark) ?? 0) + 1);
  }
  return found;
}

function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8")
      .split("\0")
      .filter((word) => word !== "");
  } catch {
    // It has ended.
    return [];
  }
}
