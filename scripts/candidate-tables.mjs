// What strategies are given, for docs/reference/plugins.md: the fields of the input types with their comments, read from the sources.
import { readFile } from "node:fs/promises";

const INPUTS = [
  ["preemption `victims`: a candidate", "packages/plugin-preemption/src/candidate.ts", "Candidate"],
  ["eviction `ranking`: a candidate", "packages/plugin-eviction/src/candidates.ts", "EvictionCandidate"],
  ["imagegc `order`: a candidate", "packages/plugin-imagegc/src/images/image-records.ts", "ImageRecord"],
  ["devices `allocation`: the input", "packages/plugin-devices/src/strategies/strategy.ts", "AllocationInput"],
  ["devices `allocation`: a candidate", "packages/plugin-devices/src/strategies/strategy.ts", "Candidate"],
];

/** Fields of an interface: a comment, then `readonly NAME?: TYPE;`. */
export function fieldsOf(source, name) {
  const start = source.indexOf(`export interface ${name} {`);
  if (start < 0) throw new Error(`no interface ${name}`);
  const body = source.slice(source.indexOf("{", start) + 1, source.indexOf("\n}", start));
  return [...body.matchAll(/(?:\/\*\*([\s\S]*?)\*\/\s*)?readonly (\w+\??): ([^;]+);/g)].map(
    ([, comment = "", field, type]) => ({
      field,
      type: type.replace(/\s+/g, " "),
      says: comment
        .replace(/^\s*\*/gm, "")
        .replace(/\s+/g, " ")
        .trim(),
    }),
  );
}

export async function candidateTables(root) {
  const tables = INPUTS.map(async ([title, file, name]) => {
    const fields = fieldsOf(await readFile(new URL(file, root), "utf8"), name);
    const rows = fields.map(
      ({ field, type, says }) =>
        `| \`${field}\` | \`${type.replaceAll("|", "\\|")}\` | ${says.replaceAll("|", "\\|")} |`,
    );
    return [
      `**${title}** ([${name}](../../${file}))`,
      "",
      "| field | type | meaning, unit |",
      "|---|---|---|",
      ...rows,
    ].join("\n");
  });
  return (await Promise.all(tables)).join("\n\n");
}
