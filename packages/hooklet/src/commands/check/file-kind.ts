/** What a file is, by its name and its top-level keys: its syntax may be wrong. Pure. */

export type FileKind = "manifest" | "scenario" | "rc file";

const MODULE = /\.(?:[cm]?js|[cm]?ts)$/;
/** Of YAML in block style: at the beginning of a line. */
const BLOCK_KEY = /^["']?([A-Za-z][\w-]*)["']?[ \t]*:/gm;
/** Of JSON, and of YAML in flow style. */
const ANY_KEY = /["']?([A-Za-z][\w-]*)["']?\s*:/g;

const KUBELET = /^[\s{,]*["']?kind["']?\s*:\s*["']?KubeletConfiguration\b/m;
const SCENARIO = ["until", "timeline", "expect", "trace", "images", "registry", "devices", "config", "rc"];
const MANIFEST = ["apiVersion", "kind"];
/** All options of an rc file. */
export const RC_KEYS: readonly string[] = [
  "extends",
  "rootDir",
  "socket",
  "port",
  "healthzPort",
  "healthzBindAddress",
  "readOnlyPort",
  "readOnlySocket",
  "server",
  "node",
  "runtime",
  "sources",
  "plugins",
];

/** Undefined: nothing tells. */
export function fileKind(name: string, text: string): FileKind | undefined {
  // What is said of it there names --from-kubelet.
  if (MODULE.test(name) || KUBELET.test(text)) return "rc file";
  const isFlow = /^\s*[{[]/.test(text.replace(/^\s*(?:#.*\n|---\s*\n|\s*\n)*/, ""));
  const keys = new Set([...text.matchAll(isFlow ? ANY_KEY : BLOCK_KEY)].map(([, key]) => key ?? ""));
  const has = (some: readonly string[]): boolean => some.some((key) => keys.has(key));
  if (has(SCENARIO)) return "scenario";
  if (has(MANIFEST)) return "manifest";
  return has(RC_KEYS) || /(?:^|\/)\.?hookletrc|hooklet\.config\./.test(name) ? "rc file" : undefined;
}
