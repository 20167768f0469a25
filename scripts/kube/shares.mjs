// How a list of Kubernetes' tests is shared among processes of its suite, and what their reports say. Pure.

/** The tests of a list file: one name a line, `#` begins a comment. */
export function namesOf(text) {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
}

/**
 * `parallel`: names that run side by side, dealt out to small shares so that the last one is not long; `slow`: minutes of waiting, each on
 * its own beside them; `lanes`: those that want the same port of the machine, one after the other; `last`: alone, when all have ended.
 */
export function shares(names, { processes, portOf = () => undefined }) {
  const isLast = (name) => /\[(Serial|Disruptive)\]/.test(name);
  const others = names.filter((name) => !isLast(name));
  const free = others.filter((name) => portOf(name) === undefined);
  const wanted = [...new Set(others.map(portOf))].filter((port) => port !== undefined);
  const rest = free.filter((name) => !name.includes("[Slow]"));
  return {
    parallel: dealt(rest, processes * 3),
    slow: free.filter((name) => name.includes("[Slow]")).map((name) => [name]),
    lanes: wanted.map((port) => others.filter((name) => portOf(name) === port)),
    last: names.filter(isLast),
  };
}

/** Of the names that want the port, as many parts as that; those that take minutes are spread evenly. */
export function partsOf(names, { port, portOf, count }) {
  const wanting = names.filter((name) => portOf(name) === port);
  const isLong = (name) => /\*not\* be restarted|monotonically/.test(name);
  return dealt([...wanting.filter(isLong), ...wanting.filter((name) => !isLong(name))], count);
}

function dealt(names, count) {
  const parts = Array.from({ length: count }, (_, i) => names.filter((_, j) => j % count === i));
  return parts.filter((part) => part.length > 0);
}

/** The suite takes regular expressions over its names. */
export function focus(name) {
  return `${name.replace(/[\][(){}.*+?^$|\\/]/g, "\\$&")}$`;
}

/** What a report of the suite (JUnit) says of the names that its process was asked for; it also names all others, as skipped. */
export function results(xml, asked) {
  const found = new Map();
  const wanted = new Set(asked);
  for (const [, attributes, body = ""] of xml.matchAll(/<testcase ([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g)) {
    const name = unescaped(/name="([^"]*)"/.exec(attributes)?.[1] ?? "").replace(/^\[It\] /, "");
    if (!wanted.has(name)) continue;
    const [, why = ""] = /<(?:failure|error)[^>]*>([^\n]*)/.exec(body) ?? [];
    found.set(name, { state: /status="(\w+)"/.exec(attributes)?.[1], why: unescaped(why).split("\n")[0] });
  }
  return found;
}

function unescaped(text) {
  const entities = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'", "&amp;": "&" };
  return text
    .replace(/&#(x?)([0-9A-Fa-f]+);/g, (_, hex, digits) => String.fromCodePoint(Number.parseInt(digits, hex ? 16 : 10)))
    .replace(/&(?:lt|gt|quot|apos|amp);/g, (entity) => entities[entity]);
}
