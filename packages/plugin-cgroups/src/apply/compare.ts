/** Whether a file holds what was written, and whether a change shrinks a limit. Pure. */

const PAGE = 4096n;
/** Bytes: what v1 shows where there is no limit is the greatest number of whole pages. */
const UNLIMITED_V1 = 2n ** 63n - PAGE;
const HUGE_PAGE = /^hugetlb\.(\d+)([KMG])B\./;
const UNITS: Readonly<Record<string, bigint>> = { K: 2n ** 10n, M: 2n ** 20n, G: 2n ** 30n };

/** What can be compared as an amount; undefined for anything else. `max` and -1 are no limit. */
function amountOf(file: string, text: string): bigint | "unlimited" | undefined {
  const value = text.trim();
  if (value === "max" || value === "-1") return "unlimited";
  if (!/^-?\d+$/.test(value)) return undefined;
  const amount = BigInt(value);
  const step = stepOf(file);
  const rounded = step === undefined ? amount : (amount / step) * step;
  return file.startsWith("memory.") && rounded >= UNLIMITED_V1 ? "unlimited" : rounded;
}

/** What the kernel rounds a limit down to. */
function stepOf(file: string): bigint | undefined {
  const huge = HUGE_PAGE.exec(file);
  if (huge?.[1] !== undefined && huge[2] !== undefined) return BigInt(huge[1]) * (UNITS[huge[2]] ?? 1n);
  return file.startsWith("memory.") && !file.startsWith("memory.oom") ? PAGE : undefined;
}

/** The kernel rounds limits to pages and has its own word for none. */
export function sameValue(file: string, wanted: string, got: string): boolean {
  if (wanted === got.trim()) return true;
  const [a, b] = [amountOf(file, wanted), amountOf(file, got)];
  return a !== undefined && a === b;
}

/** Files in which a child may not have more than its parent, or in which less can be refused. */
const LIMITS =
  /^(cpu\.max(\.burst)?|cpu\.cfs_(quota|burst)_us|memory\.(limit_in_bytes|max|high)|pids\.max|hugetlb\..*)$/;

/**
 * Whether `to` allows less than `from`: such changes go from the children up, all others from the root down, so that no
 * child ever has more than its parent.
 */
export function shrinks(file: string, from: string, to: string): boolean {
  if (!LIMITS.test(file)) return false;
  const [before, after] = file === "cpu.max" ? [ratio(from), ratio(to)] : [limit(file, from), limit(file, to)];
  return after < before;
}

function ratio(text: string): number {
  const [quota = "", period = "100000"] = text.trim().split(" ");
  return quota === "max" ? Number.POSITIVE_INFINITY : Number(quota) / Number(period);
}

function limit(file: string, text: string): number {
  const amount = amountOf(file, text);
  if (amount === undefined) return Number.NaN;
  return amount === "unlimited" ? Number.POSITIVE_INFINITY : Number(amount);
}
