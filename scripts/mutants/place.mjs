// Which files and places a run looks at, from what was typed.
const RANGE = /^(.*):(\d+):(\d+)-(\d+):(\d+)$/;

/** `core/pod/next.ts:3:7-3:12`, as `--survivors` tells a place, or a folder or a file without one. */
export function placeOf(word) {
  const name = word.replace(/^packages\//, "").replace(/\/$/, "");
  const [, file, line, column, endLine, endColumn] = RANGE.exec(name) ?? [];
  if (file === undefined) return { name };
  // Stryker tells columns from 1 on, and reads them from 0 on.
  return { name: file, range: `${line}:${column - 1}-${endLine}:${endColumn - 1}` };
}

/** What Stryker is to change of a file: all of it, or the places that were named; nothing where none of the names means it. */
export function patternsOf(file, places) {
  const plain = file.replace(/^packages\//, "");
  const short = plain.replace("/src/", "/");
  const isMeant = ({ name }) =>
    [plain, short].some((at) => at === name || at === `${name}.ts` || at.startsWith(`${name}/`));
  const meant = places.filter(isMeant);
  if (places.length === 0 || meant.some(({ range }) => range === undefined)) return [file];
  return meant.map(({ range }) => `${file}:${range}`);
}
