/** What packages of plugins and strategies have in common. Pure. */

export interface TemplateInput {
  readonly name: string;
  readonly isTypeScript: boolean;
  /** Of hooklet. */
  readonly version: string;
  /** Folder of the types of one of hooklet's packages, from the new package. */
  typesOf(dependency: string): string;
  /** The folder of hooklet's packages in a clone, from the new package; undefined: hooklet is installed without the test kit. */
  readonly clone: string | undefined;
}

const CORE = "@hooklet/core";

/** Paths with their texts. `description` is a line. `used`: packages of hooklet beside core. */
export function packageFiles(
  { name, isTypeScript, version, typesOf, clone }: TemplateInput,
  description: string,
  used: readonly string[] = [],
): Record<string, string> {
  const scripts = isTypeScript ? { build: "tsc", test: "tsc && node --test dist/" } : { test: "node --test" };
  const content = {
    name,
    version: "0.1.0",
    description,
    type: "module",
    exports: isTypeScript ? "./dist/index.js" : "./index.js",
    scripts,
    keywords: ["hooklet"],
    peerDependencies: { "@hooklet/core": `^${version}` },
    peerDependenciesMeta: { "@hooklet/core": { optional: true } },
    devDependencies: {
      // Links into the clone, until hooklet is on a registry.
      ...(clone !== undefined && Object.fromEntries([CORE, "@hooklet/testkit", ...used].map(inClone(clone)))),
      ...(isTypeScript && { "@types/node": "^20", typescript: "^5.9 || ^7" }),
    },
  };
  const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;
  const common = {
    target: "es2023",
    module: "nodenext",
    strict: true,
    skipLibCheck: true,
    // The hooklet that wrote this: once these are dependencies of yours, this can go.
    paths: Object.fromEntries([CORE, ...used].map((one) => [one, [`${typesOf(one)}/index.d.ts`]])),
  };
  if (!isTypeScript) {
    const compilerOptions = { ...common, checkJs: true, noEmit: true };
    return { "package.json": json(content), "jsconfig.json": json({ compilerOptions, include: ["index.js"] }) };
  }
  const compilerOptions = { ...common, rootDir: "src", outDir: "dist", declaration: true, types: ["node"] };
  return { "package.json": json(content), "tsconfig.json": json({ compilerOptions, include: ["src"] }) };
}

function inClone(clone: string): (dependency: string) => readonly [string, string] {
  return (dependency) => [dependency, `file:${clone}/${dependency.slice("@hooklet/".length)}`];
}

/** The scenario beside it. `plugin`: as the rc file has it, in YAML; `story`: all but the configuration. */
export function scenarioText(description: string, plugin: string, story: string): string {
  return `# Try it: hooklet simulate scenario.yaml; at each save: hooklet dev . --scenario scenario.yaml
description: ${JSON.stringify(description)}
config:
  plugins:
    - ${plugin}
${story}`;
}
