/** Files of facts about the kubelet: `{topic, source, cases: [{name, input, expected}]}`. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

export interface VectorFile {
  /** File name within the folder. */
  readonly file: string;
  readonly topic: string;
  /** Computed by the kubelet's own code: where another case contradicts it, this is right. */
  readonly oracle: boolean;
  readonly cases: readonly VectorCase[];
  /** The whole file: some topics keep texts beside the cases. */
  readonly content: Readonly<Record<string, unknown>>;
}

export interface VectorCase {
  readonly name: string;
  readonly input: unknown;
  readonly expected: unknown;
  /** Seen in no release: skipped. */
  readonly unmerged: boolean;
}

/** The vector files of a folder, by name. @throws Error naming the file that is not of the format, or an empty folder */
export async function readVectorFiles(directory: string): Promise<VectorFile[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith(".json")).sort();
  if (names.length === 0) throw new Error(`${directory} holds no vectors: expected *.json files`);
  return Promise.all(names.map(async (name) => parse(name, await readFile(join(directory, name), "utf8"))));
}

function parse(file: string, text: string): VectorFile {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (cause) {
    throw new Error(`${file} is not JSON: ${String(cause)}`, { cause });
  }
  if (!isRecord(content) || typeof content.topic !== "string" || !Array.isArray(content.cases)) {
    throw new Error(`${file} is no vector file: expected an object with a text "topic" and a list "cases"`);
  }
  const cases = content.cases.map((one: unknown, index): VectorCase => {
    if (!isRecord(one) || typeof one.name !== "string" || !("input" in one) || !("expected" in one)) {
      throw new Error(`${file}: cases[${index}] is no case: expected an object with "name", "input" and "expected"`);
    }
    return { name: one.name, input: one.input, expected: one.expected, unmerged: one.unmerged === true };
  });
  return { file, topic: content.topic, oracle: file.endsWith(".oracle.json"), cases, content };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
