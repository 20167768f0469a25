/** The package that `hooklet create strategy` writes. */
import { packageFiles, scenarioText, type TemplateInput } from "./package-files.js";

interface Point {
  /** Whose option it is, by its short name. */
  readonly plugin: string;
  readonly says: string;
  /** Its input, as far as it is looked at: an interface `Input`, for TypeScript. */
  readonly types: string;
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
    says: "Who goes for a critical pod: those with the label go first, and none where they do not free enough",
    types: `interface Input {
  readonly candidates: readonly {
    readonly uid: string;
    readonly pod: { readonly metadata: { readonly labels?: Readonly<Record<string, string>> } };
    readonly requests: Readonly<Record<string, number>>;
  }[];
  readonly requirements: readonly { readonly resource: string; readonly quantity: number }[];
}`,
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
    types: `interface Input {
  readonly candidates: readonly {
    readonly uid: string;
    readonly pod: { readonly metadata: { readonly labels?: Readonly<Record<string, string>> } };
    readonly excess: number;
  }[];
}`,
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
    types: `interface Input {
  readonly candidates: readonly { readonly names: readonly string[] }[];
}`,
    body: `({ candidates }) => {
      const goesFirst = ({ names }) => names.some((name) => name.includes(label));
      return [...candidates.filter(goesFirst), ...candidates.filter((image) => !goesFirst(image))];
    }`,
    input: `{ candidates: [{ names: ["web:1"] }, { names: ["expendable/tool:1"] }] }`,
    answer: `[{ names: ["expendable/tool:1"] }, { names: ["web:1"] }]`,
  },
  allocation: {
    plugin: "devices",
    says: "Which devices a container gets: those whose id has the label's text in it last, the others as they come",
    types: `interface Input {
  readonly size: number;
  readonly candidates: readonly { readonly id: string; readonly place: string }[];
  readonly mustInclude: readonly string[];
  readonly affinity: readonly number[] | undefined;
}`,
    body: `({ size, candidates, mustInclude, affinity }) => {
      // First what has to be taken, then what lies on the NUMA nodes that were chosen: an answer without these is not used.
      const rank = ({ id, place }) =>
        [mustInclude.includes(id), affinity === undefined || place === "aligned", !id.includes(label)].map(Number).join("");
      const ranked = candidates.map((device) => ({ id: device.id, rank: rank(device) }));
      return ranked
        .sort((a, b) => b.rank.localeCompare(a.rank))
        .slice(0, size)
        .map(({ id }) => id);
    }`,
    input: `{
    size: 1,
    candidates: [{ id: "expendable-0", place: "no-topology" }, { id: "gpu-1", place: "no-topology" }],
    mustInclude: [],
    affinity: undefined,
  }`,
    answer: `["gpu-1"]`,
  },
} as const satisfies Readonly<Record<string, Point>>;

export function strategyFiles(point: keyof typeof POINTS, input: TemplateInput): Record<string, string> {
  const template = POINTS[point];
  const files = packageFiles(input, template.says);
  const { name, isTypeScript } = input;
  const main = isTypeScript ? "src/index.ts" : "index.js";
  const test = isTypeScript ? "src/index.test.ts" : "index.test.js";
  const { plugin, says } = template;
  const scenario = scenarioText(says, `[${plugin}, { ${point}: { use: ./${main}, options: { label: expendable } } }]`, [
    "{ at: 30s, pod: owned, phase: Running }",
    "{ at: 30s, pod: lost, phase: Running }",
  ]);
  return {
    ...files,
    [main]: strategy(template, point, `./${name}/${main}`, isTypeScript),
    [test]: testOf(template, input),
    "scenario.yaml": scenario,
  };
}

function strategy({ plugin, says, types, body }: Point, point: string, path: string, isTypeScript: boolean): string {
  const head = `/**
 * ${says}.
 *
 *     plugins:
 *       - [${plugin}, { ${point}: { use: ${path}, options: { label: expendable } } }]
 *
 * Pure: data in, decision out. The agent checks the answer.
 */
`;
  const entry = (create: string): string => `{
  description: "${says.split(":")[0]}",

  options: (z) => z.strictObject({ label: z.string().min(1).max(63).default("expendable") }),

  create:
    ${create},
}`;
  if (!isTypeScript) return `${head}export default ${entry(`({ label }) =>\n    ${body}`)};\n`;
  return `${head}import type { StrategyEntry } from "@hooklet/core";

${types}

const strategy: StrategyEntry<(input: Input) => unknown> = ${entry(`({ label }: { label: string }) =>\n    ${typed(body)}`)};

export default strategy;
`;
}

/** The same text with its input's type; what follows from that the compiler knows. */
function typed(body: string): string {
  return body
    .replace(/^\(\{ ([a-zA-Z, ]+) \}\) =>/, "({ $1 }: Input) =>")
    .replace(/const (\w+) = \(\{ ([a-z, ]+) \}\) =>/g, 'const $1 = ({ $2 }: Input["candidates"][number]) =>');
}

function testOf({ input, answer }: Point, { name, clone }: TemplateInput): string {
  const suite =
    clone === undefined
      ? ""
      : `
// Checks that every strategy passes: it refuses unknown options, and decides the same each time without a change of its input.
describeStrategy("${name}", {
  table: { "${name}": strategy },
  inputs: { "what is labelled": () => (${input}) },
  decide: (choose, input) => choose(input),
});
`;
  const kit = clone === undefined ? "" : 'import { describeStrategy } from "@hooklet/testkit";\n';
  return `import assert from "node:assert/strict";
import { test } from "node:test";
${kit}import strategy from "./index.js";

test("what is labelled goes first", () => {
  const choose = strategy.create({ label: "expendable" });
  const answer = choose(${input});
  assert.deepEqual(answer, ${answer});
});
${suite}`;
}
