/** Names as apimachinery checks them (pkg/util/validation), with its messages. Each function returns all faults. Pure. */

type Problems = readonly string[];

const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const UNDERSCORED = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const UNDERSCORED_SUBDOMAIN = `${UNDERSCORED}(\\.${UNDERSCORED})*`;
const QUALIFIED = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const LABEL_VALUE = `(${QUALIFIED})?`;
const HEADER = "[-A-Za-z0-9]+";

const UID = /^[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?$/;
const MAX_UID = 64;
/** Of all annotations of an object, keys and values. */
export const MAX_ANNOTATION_BYTES = 256 * 1024;
/** Of users and groups. */
export const MAX_ID = 2 ** 31 - 1;

const SUBDOMAIN_TEXT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
const UNDERSCORED_TEXT = SUBDOMAIN_TEXT.replace("characters, '-'", "characters, '_', '-'");
const LABEL_TEXT =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
const QUALIFIED_TEXT =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const LABEL_VALUE_TEXT =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

/** `^expression$` without a chance to take long: each is cut by length first. */
const whole = (expression: string): RegExp => new RegExp(`^${expression}$`);
export const NamePatterns = {
  label: whole(LABEL),
  subdomain: whole(SUBDOMAIN),
  underscored: whole(UNDERSCORED_SUBDOMAIN),
  qualified: whole(QUALIFIED),
  labelValue: whole(LABEL_VALUE),
  header: whole(HEADER),
} as const;

const MAX_CHECKED = 1024;
const matches = (pattern: RegExp, value: string): boolean => value.length <= MAX_CHECKED && pattern.test(value);

function patternText(text: string, expression: string, ...examples: readonly string[]): string {
  const shown = examples.map((example, i) => `${i > 0 ? " or " : ""}'${example}', `).join("");
  return `${text} (e.g. ${shown}regex used for validation is '${expression}')`;
}

function tooLong(value: string, bytes: number): Problems {
  return Buffer.byteLength(value) > bytes ? [`must be no more than ${bytes} bytes`] : [];
}

export function dns1123Label(value: string): Problems {
  const long = tooLong(value, 63);
  if (matches(NamePatterns.label, value)) return long;
  if (matches(NamePatterns.subdomain, value)) return [...long, "must not contain dots"];
  return [...long, patternText(LABEL_TEXT, LABEL, "my-name", "123-abc")];
}

export function dns1123Subdomain(value: string): Problems {
  const long = tooLong(value, 253);
  if (matches(NamePatterns.subdomain, value)) return long;
  return [...long, patternText(SUBDOMAIN_TEXT, SUBDOMAIN, "example.com")];
}

/** A uid becomes part of paths and cgroup names. The API server writes UUIDs, kubelets md5 sums; a manifest may name another one. */
export function podUid(value: string): Problems {
  return value.length <= MAX_UID && UID.test(value)
    ? []
    : [`must consist of at most ${MAX_UID} letters, digits and '-'`];
}

/** DNS search domains may have underscores. */
export function dnsSearchDomain(value: string): Problems {
  const long = tooLong(value, 253);
  if (matches(NamePatterns.underscored, value)) return long;
  return [...long, patternText(UNDERSCORED_TEXT, UNDERSCORED_SUBDOMAIN, "example.com")];
}

/** Keys of labels and annotations: `name` or `example.com/name`. */
export function qualifiedName(value: string): Problems {
  const [first = "", second, ...rest] = value.split("/");
  if (rest.length > 0) {
    const text = patternText(QUALIFIED_TEXT, QUALIFIED, "MyName", "my.name", "123-abc");
    return [`a qualified name ${text} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const problems: string[] = [];
  if (second !== undefined) {
    if (first === "") problems.push("prefix part must be non-empty");
    else problems.push(...dns1123Subdomain(first).map((problem) => `prefix part ${problem}`));
  }
  const name = second ?? first;
  if (name === "") problems.push("name part must be non-empty");
  else problems.push(...tooLong(name, 63).map((problem) => `name part ${problem}`));
  if (!matches(NamePatterns.qualified, name)) {
    problems.push(`name part ${patternText(QUALIFIED_TEXT, QUALIFIED, "MyName", "my.name", "123-abc")}`);
  }
  return problems;
}

export function labelValue(value: string): Problems {
  const long = tooLong(value, 63);
  if (matches(NamePatterns.labelValue, value)) return long;
  return [...long, patternText(LABEL_VALUE_TEXT, LABEL_VALUE, "MyValue", "my_value", "12345")];
}

export function portName(value: string): Problems {
  const problems = [...tooLong(value, 15)];
  if (!/^[-a-z0-9]+$/.test(value)) {
    problems.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!/[a-z]/.test(value)) problems.push("must contain at least one letter (a-z)");
  if (value.includes("--")) problems.push("must not contain consecutive hyphens");
  if (value.startsWith("-") || value.endsWith("-")) problems.push("must not begin or end with a hyphen");
  return problems;
}

export function portNumber(value: number): Problems {
  return between(value, 1, 65535);
}

export function between(value: number, min: number, max: number): Problems {
  return value >= min && value <= max ? [] : [`must be between ${min} and ${max}, inclusive`];
}

export function notNegative(value: number): Problems {
  return value < 0 ? ["must be greater than or equal to 0"] : [];
}

export function envName(value: string): Problems {
  if (/^[\x20-\x3c\x3e-\x7e]+$/.test(value)) return [];
  return ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

export function headerName(value: string): Problems {
  if (matches(NamePatterns.header, value)) return [];
  const text = "a valid HTTP header must consist of alphanumeric characters or '-'";
  return [patternText(text, HEADER, "X-Header-Name")];
}

/**
 * Names that become folders, labels of the runtime and arguments of other programs, by Kubernetes' rules. Pods of a source and pods of a
 * runtime both pass here: what one side accepts, the other does.
 */
type NameCheck = (value: string) => readonly string[];

const podNameRules = {
  name: dns1123Subdomain,
  namespace: dns1123Label,
  uid: podUid,
  container: dns1123Label,
} as const satisfies Record<string, NameCheck>;

export function isName(value: unknown, rule: keyof typeof podNameRules): value is string {
  return typeof value === "string" && value !== "" && podNameRules[rule](value).length === 0;
}

const LISTS = ["containers", "initContainers", "ephemeralContainers", "volumes"] as const;

/**
 * The first name of a pod that breaks the rules, with its path and value; undefined when all keep them. Accepts fields
 * of any type: an API server may send anything.
 */
export function wrongName({
  metadata,
  spec,
}: {
  readonly metadata?: object;
  readonly spec?: object;
}): string | undefined {
  const named = (metadata ?? {}) as Readonly<Record<string, unknown>>;
  for (const field of ["name", "namespace", "uid"] as const) {
    if (!isName(named[field], field)) return nameFault(`metadata.${field}`, named[field], field);
  }
  const lists = (spec ?? {}) as Readonly<Record<string, unknown>>;
  for (const list of LISTS) {
    const wrong = wrongInList(lists[list], `spec.${list}`);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function wrongInList(list: unknown, path: string): string | undefined {
  if (list === undefined || list === null) return undefined;
  if (!Array.isArray(list)) return `${path} is no list`;
  for (const [index, entry] of list.entries()) {
    const name: unknown =
      typeof entry === "object" && entry !== null ? (entry as { readonly name?: unknown }).name : entry;
    if (!isName(name, "container")) return nameFault(`${path}[${index}].name`, name, "container");
  }
  return undefined;
}

/** Characters of a value that are shown. */
const SHOWN = 100;

function nameFault(path: string, value: unknown, rule: keyof typeof podNameRules): string {
  const text = typeof value === "string" ? value : typeof value;
  const shown = JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}...` : text);
  const why = typeof value === "string" && value !== "" ? podNameRules[rule](value)[0] : "expected a name";
  return `${path} ${shown}: ${why}`;
}
