/**
 * Two copies of core in one process, as a plugin with core among its own dependencies brings them, would each have
 * their own hooks and errors, and fail where nobody looks. Each copy reports itself here when it is loaded.
 */
import { fileURLToPath } from "node:url";
import { processWide, severalCores } from "@hooklet/utils";

const copies = processWide("copies", () => new Set<string>());
copies.add(fileURLToPath(new URL("..", import.meta.url)));

/** @throws NodeAgentError SEVERAL_CORES naming the folder of each copy that this process has loaded */
export function requireOneCore(loaded: ReadonlySet<string> = copies): void {
  if (loaded.size < 2) return;
  throw severalCores([...loaded].sort());
}
