// What Stryker found, for people.
import path from "node:path";

const DETECTED = ["Killed", "Timeout"];
const MISSED = ["Survived", "NoCoverage"];

/** One row for each folder of pure files, and one for all. Score: killed of all that a test could have noticed. */
export function byFolder(mutants, root) {
  const folderOf = ({ fileName }) => path.dirname(plain(fileName, root));
  const folders = [...new Set(mutants.map(folderOf))].sort();
  const rows = folders.map((folder) =>
    row(
      folder,
      mutants.filter((one) => folderOf(one) === folder),
    ),
  );
  return [...rows, row("all", mutants)];
}

function row(folder, mutants) {
  const count = (...statuses) => mutants.filter(({ status }) => statuses.includes(status)).length;
  const [detected, missed] = [count(...DETECTED), count(...MISSED)];
  return {
    folder,
    mutants: detected + missed,
    killed: detected,
    survived: count("Survived"),
    "no coverage": count("NoCoverage"),
    "left out": mutants.length - detected - missed,
    "score %": Math.floor((1000 * detected) / Math.max(1, detected + missed)) / 10,
  };
}

/** Each mutant that no test noticed, or that took too long, as a line: where it is and what it was. */
export function survivorsOf(mutants, root) {
  return mutants
    .filter(({ status }) => MISSED.includes(status) || status === "Timeout")
    .map(({ fileName, location, mutatorName, replacement, status }) => {
      const { line, column } = location.start;
      const to = `${location.end.line}:${location.end.column}`;
      return `${plain(fileName, root)}:${line}:${column}-${to} ${status} ${mutatorName}: ${replacement.replace(/\s+/g, " ").slice(0, 120)}`;
    });
}

function plain(fileName, root) {
  return path
    .relative(root, path.resolve(root, fileName))
    .replace(/^packages\//, "")
    .replace("/src/", "/");
}
