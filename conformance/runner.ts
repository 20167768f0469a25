/** Checks hooklet against folders of vectors. */
import type { AnyAdapter } from "./adapter.js";
import { adapters } from "./adapters/index.js";
import { canonical, differences } from "./difference.js";
import { onlyKnown } from "./known-keys.js";
import { readVectorFiles, type VectorCase, type VectorFile } from "./vector-file.js";

export interface Summary {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface ConformanceOptions {
  /** Gets every line for people: failures, what is skipped and why. Default: nobody. */
  readonly print?: (line: string) => void;
  readonly adapters?: Readonly<Record<string, AnyAdapter>>;
  /** Milliseconds that one case may take. Default: a minute. */
  readonly patience?: number;
}

/**
 * Puts every case of every `*.json` in `directory` to the adapter of its topic. A topic without an adapter, an unmerged
 * case, and a case that the kubelet's own code contradicts are skipped, each by name.
 * @throws Error when the folder cannot be read or a file is not of the format
 */
export async function runConformance(directory: string, options: ConformanceOptions = {}): Promise<Summary> {
  const { print = () => {}, adapters: table = adapters, patience = 60_000 } = options;
  const files = await readVectorFiles(directory);
  const computed = oracleAnswers(files);
  const count = { passed: 0, failed: 0, skipped: 0 };

  for (const file of files) {
    const adapter = Object.hasOwn(table, file.topic) ? table[file.topic] : undefined;
    if (!adapter) {
      count.skipped += file.cases.length;
      print(`SKIP ${file.file}: no adapter for topic ${file.topic}, ${file.cases.length} cases`);
      continue;
    }
    for (const one of file.cases) {
      const why = reasonToSkip(file, one, computed);
      if (why !== undefined) {
        count.skipped++;
        print(`SKIP ${file.topic}: ${one.name}: ${why}`);
        continue;
      }
      const faults = await check(adapter, file, one, patience);
      count[faults.length === 0 ? "passed" : "failed"]++;
      if (faults.length > 0) print([`FAIL ${file.topic}: ${one.name}`, ...faults].join("\n    "));
    }
  }
  return count;
}

/** What is wrong with hooklet's answer to one case; nothing when it is the kubelet's. */
export async function check(
  adapter: AnyAdapter,
  file: VectorFile,
  one: VectorCase,
  patience: number,
): Promise<readonly string[]> {
  let timer: NodeJS.Timeout | undefined;
  const overdue = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${patience} ms`)), patience);
  });
  try {
    if (adapter.keys !== undefined) onlyKnown(one.input as object, adapter.keys, "input");
    const answer: unknown = await Promise.race([adapter.run(structuredClone(one.input) as never), overdue]);
    const actual = adapter.part ? adapter.part(answer as never, one.expected as never) : answer;
    const expected = adapter.expected ? adapter.expected(one.expected as never, file) : one.expected;
    return differences(expected, actual);
  } catch (error) {
    return [`threw ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`];
  } finally {
    clearTimeout(timer);
  }
}

/** Why a case is not put to anybody. `computed`: of `oracleAnswers`. */
export function reasonToSkip(file: VectorFile, one: VectorCase, computed: ReadonlyMap<string, string>): string | undefined {
  if (one.unmerged) return "unmerged";
  if (file.oracle) return undefined;
  const answer = computed.get(questionOf(file, one));
  return answer === undefined || answer === canonical(one.expected)
    ? undefined
    : "the kubelet's own code says otherwise";
}

/** What the kubelet's own code answered. */
export function oracleAnswers(files: readonly VectorFile[]): Map<string, string> {
  const answers = new Map<string, string>();
  for (const file of files.filter(({ oracle }) => oracle)) {
    for (const one of file.cases) answers.set(questionOf(file, one), canonical(one.expected));
  }
  return answers;
}

function questionOf(file: VectorFile, one: VectorCase): string {
  return `${file.topic} ${canonical(one.input)}`;
}
