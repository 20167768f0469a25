/** Sets of processors as the kernel and the kubelet write them: `0-3,8`. Pure. */
import { invalid } from "./errors.js";

/** More than the kernel can be built for. */
const MAX_CPU = 65_535;

/** The processors of a list, ascending. @throws NodeAgentError INVALID for what is no list of numbers and ranges */
export function parseCpuList(text: string, where = "list of CPUs"): ReadonlySet<number> {
  const trimmed = text.trim();
  if (trimmed === "") return new Set();
  const cpus = new Set<number>();
  for (const part of trimmed.split(",")) {
    const [, first = "", last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part) ?? [];
    const [low, high] = [Number(first), Number(last)];
    if (first === "" || low > high || high > MAX_CPU) {
      throw invalid(where, `numbers and ranges such as "0-3,8", up to ${MAX_CPU}`, text);
    }
    for (let cpu = low; cpu <= high; cpu++) cpus.add(cpu);
  }
  return new Set([...cpus].sort((a, b) => a - b));
}

/** `0-3,8`; two in a row are a range too, as the kubelet writes it. Empty for none. */
export function formatCpuList(cpus: Iterable<number>): string {
  const parts: string[] = [];
  let [first, last] = [-2, -2];
  const end = (): void => {
    if (first >= 0) parts.push(first === last ? String(first) : `${first}-${last}`);
  };
  for (const cpu of [...cpus].sort((a, b) => a - b)) {
    if (cpu === last + 1) {
      last = cpu;
      continue;
    }
    end();
    [first, last] = [cpu, cpu];
  }
  end();
  return parts.join(",");
}
