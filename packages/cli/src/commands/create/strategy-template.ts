/** The package that `hooklet create strategy` writes. */
import { packageFiles, type TemplateInput } from "./package-files.js";

interface Point {
  /** Whose option it is, by its short name. */
  readonly plugin: string;
  readonly says: string;
  /** What `create` returns: a function of one argument. */
  readonly body: string;
  /** An input, and what the answer to it is. */
  readonly input: string;
  readonly answer: string;
}

/** The strategy points that there are templates for. */
export const POINTS = {
  victims: {
    plugin: "preemption",
    says: "Who goes for a critical pod: those with the label go first, and nobody where they do not free enough",
    body: `({ candidates, requirements }) => {
      const victims = candidates.filter(({ pod }) => pod.metadata.labels?.[label] === "true");
      const missing = requirements.filter(
        ({ resource, quantity }) => victims.reduce((sum, { requests }) => sum + (requests[resource] ?? 0), 0) < quantity,
      );
      // A strategy may decline: the pod is refused, and "hooklet explain" tells why.
      if (missing.length > 0) return { nobody: \`no pods labelled \${label} free enough \${missing[0].resource}\` };
      return victims.map(({ uid }) => ({ uid, why: \`labelled \${label}\` }));
    }`,
    input: `{
    candidates: [
      { uid: "a", pod: { metadata: { labels: { expendable: "true" } } }, requests: { cpu: 500 } },
      { uid: "b", pod: { metadata: {} }, requests: { cpu: 500 } },
    ],
    requirements: [{ resource: "cpu", quantity: 400 }],
  }`,
    answer: `[{ uid: "a", why: "labelled expendable" }]`,
  },
  ranking: {
    plugin: "eviction",
    says: "Who goes when the node runs short: those with the label first, then by how far they are over their request",
    body: `({ candidates }) => {
      const goesFirst = ({ pod }) => pod.metadata.labels?.[label] === "true";
      return [...candidates]
        .sort((a, b) => Number(goesFirst(b)) - Number(goesFirst(a)) || b.excess - a.excess)
        .map((candidate) => ({ uid: candidate.uid, why: goesFirst(candidate) ? \`labelled \${label}\` : "over its request" }));
    }`,
    input: `{
    candidates: [
      { uid: "b", pod: { metadata: {} }, excess: 9 },
      { uid: "a", pod: { metadata: { labels: { expendable: "true" } } }, excess: 1 },
    ],
  }`,
    answer: `[{ uid: "a", why: "labelled expendable" }, { uid: "b", why: "over its request" }]`,
  },
  order: {
    plugin: "imagegc",
    says: "Which images go first: those whose name has the label's text in it, then the others as they come",
    body: `({ candidates }) => {
      const goesFirst = ({ names }) => names.some((name) => name.includes(label));
      return [...candidates.filter(goesFirst), ...candidates.filter((image) => !goesFirst(image))];
    }`,
    input: `{ candidates: [{ names: ["web:1"] }, { names: ["expendable/tool:1"] }] }`,
    answer: `[{ names: ["expendable/tool:1"] }, { names: ["web:1"] }]`,
  },
} as const satisfies Readonly<Record<string, Point>>;

export function strategyFiles(point: keyof typeof POINTS, input: TemplateInput): Record<string, string> {
  const template = POINTS[point];
  const files = packageFiles(input, template.says);
  const { name, isTypeScript } = input;
  const main = isTypeScript ? "src/index.ts" : "index.js";
  const test = isTypeScript ? "src/index.test.ts" : "index.test.js";
  return { ...files, [main]: strategy(template, point, `./${name}/${main}`, isTypeScript), [test]: testOf(template) };
}

function strategy({ plugin, says, body }: Point, point: string, path: string, isTypeScript: boolean): string {
  const note = isTypeScript
    ? "// Its input is what the plugin says it is, and the answer is checked: hence the loose types.\n"
    : "";
  return `/**
 * ${says}.
 *
 *     plugins:
 *       - [${plugin}, { ${point}: { use: ${path}, options: { label: expendable } } }]
 *
 * Pure: data in, decision out. The agent checks the answer.
 */
${note}export default {
  description: "${says.split(":")[0]}",

  options: (z${isTypeScript ? ": any" : ""}) => z.strictObject({ label: z.string().min(1).max(63).default("expendable") }),

  create:
    ({ label }${isTypeScript ? ": { label: string }" : ""}) =>
    ${isTypeScript ? typed(body) : body},
};
`;
}

/** The same text with just enough types for a strict compiler. */
function typed(body: string): string {
  return body
    .replace(/^\(\{ ([a-z, ]+) \}\) =>/, "({ $1 }: any): any =>")
    .replace(/\(\{ ([a-z, ]+) \}\) =>/g, "({ $1 }: any) =>")
    .replace(/\(sum, \{ requests \}\) =>/g, "(sum: number, { requests }: any) =>")
    .replace(/\(a, b\) =>/g, "(a: any, b: any) =>")
    .replace(/\((candidate|image|name)\) =>/g, "($1: any) =>");
}

function testOf({ input, answer }: Point): string {
  return `import assert from "node:assert/strict";
import { test } from "node:test";
import strategy from "./index.js";

test("what is labelled goes first", () => {
  const choose = strategy.create({ label: "expendable" });
  const answer = choose(${input});
  assert.deepEqual(answer, ${answer});
});
`;
}
