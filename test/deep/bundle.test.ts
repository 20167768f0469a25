/** What is installed runs from a bundle (docs/adr/0022-the-program-is-a-bundle.md): what a start loads, and what custom plugins get. */
import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Bundle, bundle, bundleFolder } from "../../scripts/bundle.mjs";
import { root } from "../sources.js";
import { binary } from "../support/agent.js";

const run = promisify(execFile);

let made: Bundle;
let folder: string;

beforeAll(async () => {
  // Whatever was built last: a former one would tell nothing of these sources.
  made = await bundle();
  folder = await mkdtemp(path.join(tmpdir(), "hooklet-bundle-"));
  await mkdir(path.join(folder, "manifests"));
}, 60_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

/** An agent without pods, from its start to its end; the files that it loaded. */
async function loaded(...words: readonly string[]): Promise<readonly string[]> {
  const coverage = await mkdtemp(path.join(folder, "coverage-"));
  const env = { ...process.env, NODE_V8_COVERAGE: coverage };
  const { stderr } = await run(binary, words, { cwd: folder, env }).catch((error) => error as { stderr: string });
  const scripts = new Set<string>();
  for (const name of await readdir(coverage)) {
    const { result } = JSON.parse(await readFile(path.join(coverage, name), "utf8")) as { result: { url: string }[] };
    for (const { url } of result) if (url.startsWith("file:")) scripts.add(fileURLToPath(url));
  }
  if (scripts.size === 0) throw new Error(`no file was loaded: ${stderr}`);
  return [...scripts];
}

const agent = ["run", "--once", "--manifests", "manifests", "--root-dir", "root", "--port", "0"];

/** Not one of the few lines by which plugins import a module of the bundle. */
const isModule = (file: string): boolean => file.endsWith(".cjs");

/** Sources in these files, by paths relative to the repository's root. */
function sourcesIn(files: readonly string[]): readonly string[] {
  return files.flatMap((file) => Object.keys(made.metafile.outputs[path.relative(root, file)]?.inputs ?? {}));
}

describe("the start of an agent", () => {
  let files: readonly string[];
  beforeAll(async () => {
    files = await loaded(...agent);
  }, 60_000);

  test("loads some tens of files, all of them from the bundle", () => {
    const bin = path.dirname(binary);
    const others = files.filter((file) => !file.startsWith(`${bundleFolder}/`) && !file.startsWith(`${bin}/`));
    expect(others).toEqual([]);
    expect(files.filter(isModule).length).toBeLessThanOrEqual(80);
  });

  test.each([
    ["certificates", /@peculiar\/x509/],
    ["a cluster's API", /source-kube\/dist\/(?!index)/],
    ["an HTTP client", /node_modules\/undici\//],
    ["schemas of routes", /node_modules\/ajv\//],
    ["simulations", /packages\/simulate\/dist\/run\//],
    ["the CRI", /packages\/runtime-cri\//],
    ["gRPC: no device plugin has come", /@grpc\/|protobufjs/],
    ["the unpacking of images", /tar-stream|runtime-process\/dist\/(?:pull\/pull|image\/import)/],
    ["the commands of a client", /packages\/cli\/dist\/commands\//],
  ])("loads nothing for what is off: %s", (_, pattern) => {
    expect(sourcesIn(files).filter((file) => pattern.test(file))).toEqual([]);
  });
});

test("a command that only prints loads a few files", async () => {
  const files = await loaded("version", "--client");
  expect(files.length).toBeLessThanOrEqual(25);
}, 60_000);

test("the bundle is a few megabytes of some hundred files", () => {
  expect(made.bytes).toBeLessThanOrEqual(6 * 2 ** 20);
  expect(Object.keys(made.metafile.outputs).length).toBeLessThanOrEqual(200);
});

test("numbers of 64 bits come whole out of the bundle's protobuf", async () => {
  const socket = path.join(folder, "cri.sock");
  const fake = fork(path.join(root, "test/support/fake-cri.mjs"), [socket, folder]);
  try {
    await once(fake, "message");
    const reported = once(fake, "message");
    fake.send("lies");
    await reported;
    const script = `
      const { default: cri } = await import(${JSON.stringify(path.join(bundleFolder, "runtime-cri.js"))});
      const { systemClock } = await import(${JSON.stringify(path.join(bundleFolder, "utils.js"))});
      const options = cri.options.parse({ endpoint: ${JSON.stringify(`unix://${socket}`)} });
      const runtime = cri.create({ clock: systemClock, log: console, rootDir: "/nowhere", nodeName: "n" }, options);
      const list = await runtime.listContainers();
      console.log(String(list.find(({ id }) => id === "future").createdAt));
      await runtime.close();`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", script]);
    expect(stdout).toBe("9223372036854775807\n");
  } finally {
    fake.disconnect();
  }
}, 60_000);

describe("an external plugin gets the agent's packages", () => {
  const parts = ["@hooklet/core", "@hooklet/core/host", "@hooklet/core/subsystem", "@hooklet/plugin-probe", "hooklet"];
  const imports = parts.map((part, at) => `import * as p${at} from ${JSON.stringify(part)};`).join("\n");
  /** Its start says which cores this process has, and whether the agent's verdicts are of the class that it imports. */
  const plugin = (name: string, before: string, type: string): string => `${before}
export default p0.definePlugin({
  meta: { name: ${JSON.stringify(name)}, api: 1 },
  start(ctx${type}) {
    const cores = [...(globalThis as any)[Symbol.for("@hooklet/core/copies")]];
    ctx.log.info("CORES " + JSON.stringify(cores));
    ctx.log.info("PROBE " + (p3.default?.meta.name) + " HOST " + typeof p1.startAgent + " CONFIG " + (p4.defineConfig === p0.defineConfig));
    ctx.hooks.podAdmit.tap(async (verdict) => {
      ctx.log.info("SAME " + (verdict instanceof p0.AdmissionVerdict));
      return verdict;
    });
  },
});
`;
  const script = (name: string, before = imports): string => plugin(name, before, "").replace(" as any", "");
  const poisoned = 'throw new Error("a core of its own was loaded");\n';

  beforeAll(async () => {
    const packed = path.join(folder, "node_modules/packed");
    // Cores that lie nearer than hooklet's, as npm nests them where versions differ.
    for (const at of [folder, packed]) {
      const core = path.join(at, "node_modules/@hooklet/core");
      await mkdir(core, { recursive: true });
      const exports = { ".": "./index.js", "./host": "./index.js", "./subsystem": "./index.js" };
      await writeFile(
        path.join(core, "package.json"),
        JSON.stringify({ name: "@hooklet/core", type: "module", exports }),
      );
      await writeFile(path.join(core, "index.js"), poisoned);
    }
    const manifest = { name: "packed", version: "1.0.0", type: "module", exports: "./index.js" };
    await writeFile(path.join(packed, "package.json"), JSON.stringify(manifest));
    await writeFile(
      path.join(packed, "own.js"),
      `${parts.map((part, at) => `export * as p${at} from "${part}";`).join("\n")}\n`,
    );
    // What imports core is not the file that the rc file names.
    await writeFile(path.join(packed, "index.js"), script("packed", `import { p0, p1, p3, p4 } from "./own.js";`));
    await writeFile(path.join(folder, "script.mjs"), script("script"));
    await writeFile(path.join(folder, "typed.ts"), plugin("typed", imports, ": p0.NodeContext"));
    await writeFile(
      path.join(folder, "rc.mjs"),
      `import { defineConfig } from "hooklet";\nexport default defineConfig({ plugins: ["./script.mjs", "./typed.ts", "packed"] });\n`,
    );
    const spec = { restartPolicy: "Never", containers: [{ name: "c", image: "host", command: ["true"] }] };
    await mkdir(path.join(folder, "pods"));
    await writeFile(
      path.join(folder, "pods/pod.json"),
      JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name: "pod" }, spec }),
    );
  });

  test("whatever is in node_modules: as a script, in TypeScript, as a package", async () => {
    const words = ["run", "--once", "--config", "rc.mjs", "--manifests", "pods", "--root-dir", "own", "--port", "0"];
    const { stderr } = await run(binary, [...words, "--log-format", "json"], { cwd: folder });
    const said = stderr.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line).msg as string] : []));
    const of = (word: string): readonly string[] => said.filter((text) => text.startsWith(`${word} `));
    expect(of("CORES")).toEqual(Array(3).fill(`CORES ${JSON.stringify([`${bundleFolder}/`])}`));
    expect(of("PROBE")).toEqual(Array(3).fill("PROBE @hooklet/plugin-probe HOST function CONFIG true"));
    expect(of("SAME")).toEqual(Array(3).fill("SAME true"));
  }, 120_000);
});
