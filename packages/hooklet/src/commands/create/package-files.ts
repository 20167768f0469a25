/** What packages of plugins and strategies have in common. Pure. */

export interface TemplateInput {
  readonly name: string;
  readonly isTypeScript: boolean;
  /** Of hooklet. */
  readonly version: string;
  /** Folder of core's types, from the package. */
  readonly coreTypes: string;
}

/** Paths with their texts. `description` is a line. */
export function packageFiles(
  { name, isTypeScript, version, coreTypes }: TemplateInput,
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
    ...(isTypeScript && { devDependencies: { "@types/node": "^20", typescript: "^5.9 || ^7" } }),
  };
  const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;
  if (!isTypeScript) return { "package.json": json(content) };
  const compilerOptions = {
    target: "es2023",
    module: "nodenext",
    strict: true,
    rootDir: "src",
    outDir: "dist",
    declaration: true,
    skipLibCheck: true,
    types: ["node"],
    // The hooklet that wrote this: once core is a dependency of yours, this can go.
    paths: { "@hooklet/core": [`${coreTypes}/index.d.ts`] },
  };
  return { "package.json": json(content), "tsconfig.json": json({ compilerOptions, include: ["src"] }) };
}
