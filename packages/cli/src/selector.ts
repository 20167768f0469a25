/** Label selectors as kubectl writes them: `app=web,tier!=db,env in (a,b),!old`. Pure. */
import { invalid } from "@hooklet/utils";

export type Labels = Readonly<Record<string, string>>;

interface Requirement {
  readonly key: string;
  readonly matches: (value: string | undefined) => boolean;
}

const KEY = "(?:[a-z0-9.-]+/)?[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?";
const VALUE = "(?:[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?)?";
const EQUALITY = new RegExp(`^(${KEY})\\s*(==|=|!=)\\s*(${VALUE})$`);
const SET = new RegExp(`^(${KEY})\\s+(in|notin)\\s*\\(([^()]*)\\)$`);
const EXISTS = new RegExp(`^(!?)\\s*(${KEY})$`);

/** Whether an object with these labels is meant. @throws NodeAgentError INVALID */
export function parseSelector(text: string): (labels: Labels) => boolean {
  const requirements = parts(text).map((part) => requirement(part.trim(), text));
  return (labels) => requirements.every(({ key, matches }) => matches(labels[key]));
}

/** At the commas that are in no list. */
function parts(text: string): string[] {
  return text.trim() === "" ? [] : text.split(/,(?![^(]*\))/);
}

function requirement(part: string, whole: string): Requirement {
  const [, key = "", operator, value = ""] = EQUALITY.exec(part) ?? [];
  // As in the API: a label that is not there is not equal to anything.
  if (operator === "!=") return { key, matches: (found) => found !== value };
  if (operator !== undefined) return { key, matches: (found) => found === value };
  const [, name = "", word, list = ""] = SET.exec(part) ?? [];
  if (word !== undefined) {
    const values = list.split(",").map((one) => one.trim());
    return { key: name, matches: (found) => (found !== undefined && values.includes(found)) === (word === "in") };
  }
  const [, not, label] = EXISTS.exec(part) ?? [];
  if (label === undefined) throw invalid("--selector", 'for example "app=web,tier in (a,b),!old"', whole);
  return { key: label, matches: (found) => (found === undefined) === (not === "!") };
}
