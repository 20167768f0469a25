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
 * its own beside them; `ports`: those that want a port of the machine for themselves, one after the other; `last`: alone, when all have ended.
 */
export function shares(names, { processes, ports = () => false }) {
  const isLast = (name) => /\[(Serial|Disruptive)\]/.test(name);
  const last = names.filter(isLast);
  const others = names.filter((name) => !isLast(name));
  const alone = others.filter(ports);
  const slow = others.filter((name) => !ports(name) && name.includes("[Slow]"));
  const rest = others.filter((name) => !ports(name) && !name.includes("[Slow]"));
  const dealt = Array.from({ length: processes * 3 }, (_, i) => rest.filter((_, j) => j % (processes * 3) === i));
  return { parallel: dealt.filter((share) => share.length > 0), slow: slow.map((name) => [name]), ports: alone, last };
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
