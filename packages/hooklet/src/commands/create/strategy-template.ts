/** The package that `hooklet create strategy` writes. */
import { packageFiles, scenarioText, type TemplateInput } from "./package-files.js";
import { POINTS } from "./strategy-points.js";

type Template = (typeof POINTS)[keyof typeof POINTS];

export function strategyFiles(point: keyof typeof POINTS, input: TemplateInput): Record<string, string> {
  const template = POINTS[point];
  const { name, isTypeScript } = input;
  const main = isTypeScript ? "src/index.ts" : "index.js";
  const test = isTypeScript ? "src/index.test.ts" : "index.test.js";
  const { plugin, says, option } = template;
  const besides = "besides" in template ? template.besides : "";
  const entry = `[${plugin}, { ${point}: { use: ./${main}, options: { ${option}: expendable } }${besides} }]`;
  return {
    ...packageFiles(input, says, [packageOf(template)]),
    [main]: strategy(template, point, `./${name}/${main}`, isTypeScript),
    [test]: testOf(template, input),
    "scenario.yaml": scenarioText(says, entry, template.scenario),
  };
}

function packageOf({ plugin }: Template): string {
  return `@hooklet/plugin-${plugin}`;
}

function strategy(template: Template, point: string, path: string, isTypeScript: boolean): string {
  const { plugin, says, option, body } = template;
  const entry = `{
  description: "${says.split(":")[0]}",

  options: (z) => z.strictObject({ ${option}: z.string().min(1).max(63).default("expendable") }),

  create:
    ({ ${option} }) =>
    ${body},
}`;
  const head = `/**
 * ${says}.
 *
 *     plugins:
 *       - [${plugin}, { ${point}: { use: ${path}, options: { ${option}: expendable } } }]
 *
 * Pure: data in, decision out. The agent checks the answer.
 */
`;
  const options = `{ ${option}: string }`;
  if (!isTypeScript) {
    const type = `import("@hooklet/core").StrategyEntry<import("${packageOf(template)}").${template.strategy}, ${options}>`;
    return `${head}
/** @type {${type}} */
export default ${entry};
`;
  }
  return `${head}import type { StrategyEntry } from "@hooklet/core";
import type { ${template.strategy} } from "${packageOf(template)}";

const strategy: StrategyEntry<${template.strategy}, ${options}> = ${entry};

export default strategy;
`;
}

function testOf(template: Template, { name, clone, isTypeScript }: TemplateInput): string {
  const { sample, answer, option, fault, input } = template;
  const typed = (text: string): string => (isTypeScript ? text : "");
  const kit = clone !== undefined;
  const helpers = [
    ...(sample.includes("pod(")
      ? [
          `const pod = (name${typed(": string")}, labels${typed(": Record<string, string>")} = {}) => ({
  metadata: { name, namespace: "default", uid: name, labels },
  spec: { containers: [] },
});`,
        ]
      : []),
    ...(sample.includes("image(")
      ? [
          `const image = (name${typed(": string")}) => ({
  key: name,
  id: name,
  names: [name],
  size: 1,
  pinned: false,
  firstDetected: 0,
  lastUsed: undefined,
});`,
        ]
      : []),
  ];
  const suite = `
// Checks that every strategy passes: it refuses unknown options, decides the same each time without a change of its input, and its
// answers can be used.
describeStrategy("${name}", {
  table: { "${name}": strategy },
  inputs: { "what is expendable": input },
  decide: (choose, given) => choose(given),
  legal: (decision, given) => assert.equal(${fault}(decision, given), undefined),
});
`;
  const own = [...(kit ? [fault] : []), ...(isTypeScript ? [`${kit ? "type " : ""}${input}`] : [])];
  const imports = [
    `import assert from "node:assert/strict";`,
    `import { test } from "node:test";`,
    ...(own.length > 0 ? [`import ${kit ? "" : "type "}{ ${own.join(", ")} } from "${packageOf(template)}";`] : []),
    ...(kit ? [`import { describeStrategy } from "@hooklet/testkit";`] : []),
    `import strategy from "./index.js";`,
  ];
  return `${imports.join("\n")}

${helpers.join("\n")}
const input = ()${typed(`: ${input}`)} => (${sample});

test("what is expendable is chosen as the rule says", () => {
  const choose = strategy.create({ ${option}: "expendable" });
  assert.deepEqual(choose(input()), ${answer});
});
${kit ? suite : ""}`;
}
