// Makes packages/hooklet/bundle of what tsc has built: docs/adr/0022-the-program-is-a-bundle.md. node scripts/bundle.mjs
// Prints how many files and bytes it has; `--metafile FILE` writes what esbuild tells of it, for `npx esbuild-visualizer` and the like.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, transform } from "esbuild";
import { tellHelp } from "./help.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const packages = path.join(root, "packages");
export const bundleFolder = path.join(packages, "hooklet/bundle");

/** Packages that plugins may import, beside the plugins and runtimes that hooklet brings: each of their entries is one of the bundle. */
const SHARED = ["config", "core", "linux", "manifest", "streams", "utils"];
/** Files that are no entry of their package: what Node starts as a process or as module hooks. By the name that their neighbours know. */
const STARTED = {
  "own-packages-loader": "config/dist/load/own-packages-loader.js",
  "typescript-loader": "config/dist/load/typescript-loader.js",
  "volume-helper": "volumes/dist/volume-helper.js",
  "write-helper": "plugin-objects/dist/volumes/write-helper.js",
  "grpc-subprocess-main": "plugin-probe/dist/handlers/grpc-subprocess-main.js",
  "root-helper": "runtime-process/dist/rootfs/root-helper.js",
  main: "simulate/dist/subprocess/main.js",
};
const TARGET = "node20.18";
/** Stay packages: found beside hooklet when they are needed. The first brings WebAssembly, the others are never there. */
const EXTERNAL = ["@swc/wasm-typescript", "bufferutil", "utf-8-validate"];

/** @returns `{ files, bytes, metafile }` of what was made */
export async function bundle() {
  const shared = sharedEntries();
  const entries = { hooklet: "hooklet/dist/main.js", ...STARTED };
  for (const { name, file } of shared) entries[name] = file;
  const table = Object.fromEntries(shared.map(({ specifier, name }) => [specifier, `./${name}.js`]));
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: Object.entries(entries).map(([out, file]) => ({ in: path.join(packages, file), out })),
    outdir: bundleFolder,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: TARGET,
    external: EXTERNAL,
    define: { HOOKLET_BUNDLE: JSON.stringify(table) },
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "none",
    chunkNames: "[name]-[hash]",
    metafile: true,
    write: false,
    logLevel: "warning",
    plugins: [requiredByName, named, described, unused, english],
  });
  const outputs = Object.entries(metafile.outputs).map(([file, output]) => ({
    name: path.basename(file, ".js"),
    output,
  }));
  const text = new Map(outputFiles.map((file) => [path.basename(file.path, ".js"), file.text]));
  const files = await Promise.all(
    outputs.flatMap(({ name, output }) => [
      commonJs(name, text.get(name), output),
      ...(name in entries ? [entryOf(name, output)] : []),
    ]),
  );
  // What was compiled of a former bundle.
  rmSync(path.join(bundleFolder, "../cache"), { recursive: true, force: true });
  write(bundleFolder, [...files, { file: "LICENSES.txt", contents: licences(metafile) }]);
  const bytes = files.reduce((sum, { contents }) => sum + Buffer.byteLength(contents), 0);
  const made = outputs.map(({ name, output }) => [path.relative(root, path.join(bundleFolder, `${name}.cjs`)), output]);
  return { files: files.length, bytes, metafile: { ...metafile, outputs: Object.fromEntries(made) } };
}

/** esbuild splits ES modules only; of CommonJS the compiled code can be kept on Node 20 too (packages/hooklet/bin/compiled-code.js). */
async function commonJs(name, text, { imports }) {
  const own = new Set(imports.map((one) => `./${path.basename(one.path)}`));
  const required = text
    .replace(/\bimport\("([^"]+)\.js"\)/g, (found, to) =>
      own.has(`${to}.js`) ? `Promise.resolve().then(()=>require("${to}.cjs"))` : found,
    )
    .replace(/\b(from|import)"([^"]+)\.js"/g, (found, word, to) =>
      own.has(`${to}.js`) ? `${word}"${to}.cjs"` : found,
    );
  const { code } = await transform(required, {
    format: "cjs",
    platform: "node",
    target: TARGET,
    minifyWhitespace: true,
    define: { "import.meta": "__meta" },
    banner: `"use strict";${/\bimport\.meta\b/.test(required) ? META : ""}`,
  });
  return { file: `${name}.cjs`, contents: code };
}

/** `import.meta` of CommonJS. */
const META =
  "const __u=require('node:url').pathToFileURL,__meta={url:__u(__filename).href,resolve:s=>__u(require.resolve(s)).href};";

/** What Node starts, and what plugins import: the same module, with its exports by their names. */
function entryOf(name, { exports }) {
  const names = exports.filter((one) => one !== "default");
  const lines = [
    'import { createRequire } from "node:module";',
    `const all = createRequire(import.meta.url)("./${name}.cjs");`,
    ...(names.length === 0 ? [] : [`export const { ${names.join(", ")} } = all;`]),
    ...(exports.includes("default") ? ["export default all.default;"] : []),
  ];
  return { file: `${name}.js`, contents: `${lines.join("\n")}\n` };
}

/** `@protobufjs/inquire` requires what bundlers shall not see: `long`, without which numbers of 64 bits lose their last digits. */
const requiredByName = {
  name: "required-by-name",
  setup({ onLoad }) {
    onLoad({ filter: /@protobufjs\/inquire\/index\.js$/ }, () => ({
      contents:
        'module.exports = (name) => (name === "long" ? require("long") : name === "fs" ? require("fs") : null);',
      resolveDir: path.dirname(protoLoader(path.join(packages, "runtime-cri/package.json"))),
    }));
  },
};

/** Who imports a library in CommonJS when it is needed gets its exports by their names, as from Node. */
const named = {
  name: "named",
  setup({ onLoad, onResolve, resolve }) {
    onResolve({ filter: /^[a-z@]/ }, async ({ path: specifier, kind, resolveDir }) => {
      if (kind !== "dynamic-import" || /^(?:node:|@hooklet\/)/.test(specifier) || EXTERNAL.includes(specifier))
        return undefined;
      const { path: file, external } = await resolve(specifier, { resolveDir, kind: "import-statement" });
      return external ? undefined : { path: file, namespace: "named" };
    });
    onLoad({ filter: /.*/, namespace: "named" }, async ({ path: file }) => {
      const names = Object.keys(await import(pathToFileURL(file).href)).filter((name) => name !== "module.exports");
      return {
        contents: `export { ${names.join(", ")} } from ${JSON.stringify(file)};`,
        resolveDir: path.dirname(file),
      };
    });
  },
};

/** The messages of each proto/, read now in place of at each start. */
const described = {
  name: "described",
  setup({ onLoad }) {
    onLoad({ filter: /\/dist\/(?:[^/]+\/)?definitions\.js$/ }, ({ path: file }) => {
      const { Root } = createRequire(protoLoader(file))("protobufjs");
      const proto = file.replace(/dist\/.*$/, "proto");
      const text = readFileSync(file, "utf8");
      const [, files] = /^const FILES = (.*);$/m.exec(text);
      const [, options] = /^const LOADED = (.*);$/m.exec(text);
      const json = new Root().loadSync(JSON.parse(files).map((name) => path.join(proto, name))).toJSON();
      return {
        contents: `import { fromJSON } from "@grpc/proto-loader";
          const described = ${JSON.stringify(json)};
          let loaded;
          export const definitions = () => (loaded ??= fromJSON(described, ${options}));`,
        resolveDir: path.dirname(file),
      };
    });
  },
};

/** The library as this file has it; what it needs is found from there. */
function protoLoader(file) {
  return createRequire(file).resolve("@grpc/proto-loader");
}

/**
 * fastify loads its validator and its serializer for schemas of routes, a fifth of all code that a start loads: no route has one, as
 * zod checks what comes in. Where one had, its route would fail at the start.
 */
const unused = {
  name: "unused",
  setup({ onLoad }) {
    onLoad({ filter: /@fastify\/(?:ajv-compiler|fast-json-stringify-compiler)\/[^/]+\.js$/ }, () => ({
      contents: `module.exports = () => () => () => { throw new Error("no route has a schema"); };`,
    }));
  },
};

/** zod brings its messages in fifty languages, a tenth of all code that a start loads; hooklet speaks English. */
const english = {
  name: "english",
  setup({ onLoad }) {
    onLoad({ filter: /\/zod\/v4\/locales\/[^/]+\.js$/ }, ({ path: file }) =>
      /\/(?:en|index)\.js$/.test(file) ? undefined : { contents: "export default () => ({});" },
    );
  },
};

function sharedEntries() {
  const own = readdirSync(packages).filter((name) => /^(?:plugin|runtime|source)-/.test(name));
  return [...SHARED, ...own, "hooklet"].flatMap((folder) => {
    const { name, exports } = JSON.parse(readFileSync(path.join(packages, folder, "package.json"), "utf8"));
    const entries = Object.entries(exports).filter(([entry]) => !(own.includes(folder) && entry === "./internal"));
    return entries.map(([entry, { default: file }]) => ({
      specifier: path.posix.join(name, entry),
      name: folder === "hooklet" ? "index" : [folder, ...entry.split("/").slice(1)].join("-"),
      file: path.join(folder, file),
    }));
  });
}

/** Each file takes the place of the former one at once: an agent that runs from here may read it meanwhile. */
function write(folder, files) {
  mkdirSync(folder, { recursive: true });
  for (const { file, contents } of files) {
    const at = path.join(folder, file);
    writeFileSync(`${at}.new`, contents);
    renameSync(`${at}.new`, at);
  }
  const made = new Set(files.map(({ file }) => file));
  for (const file of readdirSync(folder)) if (!made.has(file)) rmSync(path.join(folder, file), { recursive: true });
}

/** What the packages in the bundle ask for: their licences go with them. */
function licences({ inputs }) {
  const folders = new Set(
    Object.keys(inputs).flatMap(
      (file) => /^(?<folder>.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.groups?.folder ?? [],
    ),
  );
  const texts = [...folders].flatMap((folder) => {
    const at = path.join(root, folder);
    if (!existsSync(path.join(at, "package.json"))) return [];
    const { name, version, license } = JSON.parse(readFileSync(path.join(at, "package.json"), "utf8"));
    const file = readdirSync(at).find((one) => /^(?:licen[cs]e|copying)(?:\.|$)/i.test(one));
    const text = file === undefined ? "" : `\n\n${readFileSync(path.join(at, file), "utf8").trim()}`;
    return [`${name} ${version}: ${license ?? "see below"}${text}\n`];
  });
  return `${[...new Set(texts)].sort().join(`\n${"-".repeat(80)}\n\n`)}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  tellHelp(import.meta.url);
  const { files, bytes, metafile } = await bundle();
  const at = process.argv.indexOf("--metafile");
  if (at > 0) writeFileSync(process.argv[at + 1], JSON.stringify(metafile));
  console.log(`${path.relative(root, bundleFolder)}: ${files} files, ${Math.round(bytes / 1024)} KiB`);
}
