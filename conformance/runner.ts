/** Checks hooklet against folders of vectors. */
import type { AnyAdapter } from "./adapter.js";
import { adapters } from "./adapters/index.js";
import { check, oracleAnswers, reasonToSkip } from "./check.js";
import { readVectorFiles } from "./vector-file.js";

export interface Summary {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface ConformanceOptions {
  /** Gets every line for people: failures, what is skipped and why. Default: none. */
  readonly print?: (line: string) => void;
  readonly adapters?: Readonly<Record<string, AnyAdapter>>;
  /** Milliseconds that one case may take. Default: a minute. */
  readonly patience?: number;
}

/**
 * Puts every case of every `*.json` in `directory` to the adapter of its topic. A topic without an adapter, an unmerged
 * case, one about what hooklet has no use for, and one that the kubelet's own code contradicts are skipped, each by name.
 * @throws Error when the folder cannot be read or a file is not of the format
 */
export async function runConformance(directory: string, options: ConformanceOptions = {}): Promise<Summary> {
  const { print = () => {}, adapters: table = adapters, patience = 60_000 } = options;
  const files = await readVectorFiles(directory);
  const computed = oracleAnswers(files);
  const count = { passed: 0, failed: 0, skipped: 0 };

  for (const file of files) {
    const adapter = Object.hasOwn(table, file.topic) ? table[file.topic] : undefined;
    const asked = file.cases.filter((one) => {
      const why = reasonToSkip(file, one, computed);
      if (why === undefined) return true;
      count.skipped++;
      print(`SKIP ${file.topic}: ${one.name}: ${why}`);
      return false;
    });
    if (!adapter) {
      count.skipped += asked.length;
      if (asked.length > 0) print(`SKIP ${file.file}: no adapter for topic ${file.topic}, ${asked.length} cases`);
      continue;
    }
    for (const one of asked) {
      const faults = await check(adapter, file, one, patience);
      count[faults.length === 0 ? "passed" : "failed"]++;
      if (faults.length > 0) print([`FAIL ${file.topic}: ${one.name}`, ...faults].join("\n    "));
    }
  }
  return count;
}
