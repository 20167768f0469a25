/** What packages of plugins and strategies have in common. Pure. */

export interface TemplateInput {
  readonly name: string;
  readonly isTypeScript: boolean;
  /** Of hooklet. */
  readonly version: string;
  /** Folder of core's types, from the package. */
  readonly coreTypes: string;
  /** Folders of core and the test kit in a clone of hooklet, from the package; undefined: hooklet is installed without it. */
  readonly clone: { readonly core: string; readonly testkit: string } | undefined;
}

/** Paths with their texts. `description` is a line. */
export function packageFiles(
  { name, isTypeScript, version, coreTypes, clone }: TemplateInput,
  description: string,
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
      ...(clone && { "@hooklet/core": `file:${clone.core}`, "@hooklet/testkit": `file:${clone.testkit}` }),
      ...(isTypeScript && { "@types/node": "^20", typescript: "^5.9 || ^7" }),
    },
  };
  const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;
  const common = {
    target: "es2023",
    module: "nodenext",
    strict: true,
    skipLibCheck: true,
    // The hooklet that wrote this: once core is a dependency of yours, this can go.
    paths: { "@hooklet/core": [`${coreTypes}/index.d.ts`] },
  };
  if (!isTypeScript) {
    const compilerOptions = { ...common, checkJs: true, noEmit: true };
    return { "package.json": json(content), "jsconfig.json": json({ compilerOptions, include: ["index.js"] }) };
  }
  const compilerOptions = { ...common, rootDir: "src", outDir: "dist", declaration: true, types: ["node"] };
  return { "package.json": json(content), "tsconfig.json": json({ compilerOptions, include: ["src"] }) };
}

/** The scenario beside it: two pods, and what becomes of them. `plugins`: as the rc file has them, in YAML. */
export function scenarioText(description: string, plugins: string, expect: readonly string[]): string {
  return `# Try it: hooklet simulate scenario.yaml; at each save: hooklet dev . --scenario scenario.yaml
description: ${JSON.stringify(description)}
node: { cpu: "2", memory: 4Gi }
config:
  plugins:
    - ${plugins}
timeline:
  - at: 1s
    apply:
      metadata: { name: owned, labels: { owner: ada, expendable: "true" } }
      spec: { containers: [{ name: main, image: web:1, resources: { requests: { cpu: 500m, memory: 256Mi } } }] }
  - at: 2s
    apply:
      metadata: { name: lost }
      spec: { containers: [{ name: main, image: web:1, resources: { requests: { cpu: 500m, memory: 256Mi } } }] }
until: 1m
expect:
${expect.map((one) => `  - ${one}`).join("\n")}
`;
}
