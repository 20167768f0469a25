/** One case of a vector file against one adapter. */
import type { AnyAdapter } from "./adapter.js";
import { canonical, differences } from "./difference.js";
import { onlyKnown } from "./known-keys.js";
import type { VectorCase, VectorFile } from "./vector-file.js";
import { withoutUse } from "./without-use.js";

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

/** Why a case is skipped. `computed`: of `oracleAnswers`. */
export function reasonToSkip(
  file: VectorFile,
  one: VectorCase,
  computed: ReadonlyMap<string, string>,
): string | undefined {
  if (one.unmerged) return "unmerged";
  const useless = withoutUse(file.topic, one.name);
  if (useless !== undefined) return useless;
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
