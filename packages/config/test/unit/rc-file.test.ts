import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { faultText } from "../../src/faults/faults.js";
import { faultsOf, gcPlugin, load, loadIn, makeFolder, type Setup } from "../fixture.js";

type Files = NonNullable<Setup["files"]>;

async function effective(files: Files, flags: NonNullable<Setup["flags"]> = {}) {
  const { folder, config } = await load({ files, flags });
  const origin = (path: string) => config.effective.find((one) => one.path === path)?.origin.replace(`${folder}/`, "");
  return { folder, config, origin };
}

describe("what wins", () => {
  test("the command line over the rc file, that over its base; each value names the file and line it is from", async () => {
    const { config, origin } = await effective(
      {
        ".hookletrc": "extends: ./team.yaml\nnode:\n  maxPods: 7\n",
        "team.yaml": "port: 1\nnode:\n  maxPods: 5\n  clusterDomain: team\n  name: n1\n",
      },
      { nodeName: "n2" },
    );
    expect(config).toMatchObject({ port: 1, node: { maxPods: 7, clusterDomain: "team", name: "n2" } });
    expect(["port", "node.maxPods", "node.clusterDomain", "node.name", "node.labels"].map(origin)).toEqual([
      "team.yaml:1",
      ".hookletrc:3",
      "team.yaml:4",
      "--node-name",
      "default",
    ]);
  });

  test("of several bases the last one, with all that it extends itself", async () => {
    const { config } = await effective({
      ".hookletrc": "extends: [./a.yaml, ./b.yaml]",
      "a.yaml": "port: 1\nnode: { maxPods: 1 }",
      "b.yaml": "extends: ./c.yaml\nnode: { maxPods: 2 }",
      "c.yaml": "port: 3\nnode: { maxPods: 3 }",
    });
    expect(config).toMatchObject({ port: 3, node: { maxPods: 2 } });
    expect(config.extended?.map((file) => file.slice(-6))).toEqual(["a.yaml", "c.yaml", "b.yaml"]);
  });
});

describe("where a base is found", () => {
  test("a path is relative to the file that names it, and so is what the base names itself", async () => {
    const { folder, config } = await load({
      files: {
        ".hookletrc": "extends: ./shared/team.yaml",
        "shared/team.yaml": "extends: ./more/deep.json\nplugins: [./gc.mjs]\nsources: { manifests: ./manifests }",
        "shared/more/deep.json": '{ "rootDir": "./state" }',
      },
      modules: { "shared/gc.mjs": gcPlugin },
    });
    expect(config.plugins[0]?.file).toBe(join(folder, "shared/gc.mjs"));
    expect(config.sources.manifests).toBe(join(folder, "shared/manifests"));
    expect(config.rootDir).toBe(join(folder, "shared/more/state"));
  });

  test("a strategy file is relative to the file that names it, whichever file names the plugin", async () => {
    const strategy = "export default () => 'own';";
    const { config } = await load({
      files: {
        ".hookletrc": "extends: ./shared/team.yaml\nplugins: [[gc, { highThresholdPercent: 90 }]]",
        "shared/team.yaml": "plugins: [[gc, { order: { use: ./order.mjs } }]]",
        "shared/order.mjs": strategy,
      },
      modules: { "@hooklet/plugin-gc": gcPlugin },
    });
    expect(config.plugins[0]?.written).toMatchObject({ order: { use: "./order.mjs" }, highThresholdPercent: 90 });
  });

  test("a package, as a module or as a file of it", async () => {
    const folder = makeFolder();
    const home = join(folder, "node_modules/@acme/base");
    mkdirSync(home, { recursive: true });
    writeFileSync(
      join(home, "package.json"),
      '{"name":"@acme/base","type":"module","exports":{".":"./rc.js","./rc.yaml":"./rc.yaml"}}',
    );
    writeFileSync(join(home, "rc.js"), "export default { port: 11 };");
    writeFileSync(join(home, "rc.yaml"), "port: 12");
    const one = await loadIn(folder, { files: { ".hookletrc": 'extends: "@acme/base"' } });
    expect(one).toMatchObject({ port: 11, extended: [join(home, "rc.js")] });
    expect(await loadIn(folder, { files: { ".hookletrc": 'extends: "@acme/base/rc.yaml"' } })).toMatchObject({
      port: 12,
    });
    await expect(loadIn(folder, { files: { ".hookletrc": 'extends: "@acme/base/secret"' } })).rejects.toMatchObject({
      faults: [{ path: "extends", line: 1, found: expect.stringMatching(/secret/) }],
    });
  });
});

describe("faults name the file and line they are in", () => {
  test.each([
    {
      name: "an unknown option of a base",
      files: { ".hookletrc": "extends: ./b.yaml", "b.yaml": "port: 1\nnode:\n  maxPod: 1" },
      text: 'b.yaml:3:3 node.maxPod: unknown option "maxPod". Did you mean "maxPods"?',
    },
    {
      name: "a wrong option of a base's plugin",
      files: { ".hookletrc": "extends: ./b.yaml", "b.yaml": "plugins:\n  - [gc, { lowThresholdPercent: x }]" },
      text: 'b.yaml:2:12 plugins[0].lowThresholdPercent: expected a number, found "x".',
    },
    {
      name: "a missing key of an entry in a list that replaces another one",
      files: {
        ".hookletrc": "extends: ./b.yaml\nnode:\n  taints: [{ key: a }]",
        "b.yaml": "node: { taints: [{ key: a, effect: NoSchedule }] }",
      },
      text: ".hookletrc:3:12 node.taints[0].effect: expected one of NoSchedule, PreferNoSchedule, NoExecute, found nothing.",
    },
    {
      name: "a base that is not there",
      files: { ".hookletrc": "port: 1\nextends:\n  - ./gone.yaml" },
      text: '.hookletrc:3:5 extends[0]: expected an rc file (a file, relative to .hookletrc), found "./gone.yaml".',
    },
    {
      name: "a package that is not there",
      files: { ".hookletrc": "extends: '@acme/none'" },
      text: '.hookletrc:1:1 extends: expected an rc file (the package @acme/none, installed), found "@acme/none".',
    },
    {
      name: "a loop, by the names along it",
      files: {
        ".hookletrc": "extends: ./a.yaml",
        "a.yaml": "extends: ./b.yaml",
        "b.yaml": "port: 1\nextends: ./a.yaml",
      },
      text: "b.yaml:2:1 extends: expected rc files that extend each other without a loop, found the loop a.yaml -> b.yaml -> a.yaml.",
    },
    {
      name: "a file that extends itself",
      files: { ".hookletrc.yaml": "extends: ./.hookletrc.yaml" },
      text: ".hookletrc.yaml:1:1 extends: expected rc files that extend each other without a loop, found the loop .hookletrc.yaml -> .hookletrc.yaml.",
    },
    {
      name: "broken YAML of a base",
      files: { ".hookletrc": "extends: ./b.yaml", "b.yaml": "port: 1\nport: 2" },
      text: 'b.yaml:2:1: invalid YAML: the key "port" is there twice.',
    },
    {
      name: "a key that is a map",
      files: { ".hookletrc": "extends: ./b.yaml", "b.yaml": "port: 1\n? { a: 1 }\n: 2" },
      text: "b.yaml:2:3: invalid YAML: a key must be a plain word.",
    },
    {
      name: "a base that is no object",
      files: { ".hookletrc": "extends: ./b.yaml", "b.yaml": "- a" },
      text: "b.yaml: expected an object of options, found a list.",
    },
    {
      name: "a base that is a token, which is not shown",
      files: { ".hookletrc": "extends: ./token", token: "eyJhbGciOiJSUzI1NiJ9.c2VjcmV0" },
      text: "token: expected an object of options, found a string.",
    },
    {
      name: "a base that is a token and is called JSON, which is not shown either",
      files: { ".hookletrc": "extends: ./token.json", "token.json": "eyJhbGciOiJSUzI1NiJ9.c2VjcmV0\n" },
      text: "token.json: invalid JSON: Unexpected token 'e'.",
    },
    {
      name: "a base that is a list of passwords, which are not shown",
      files: { ".hookletrc": "extends: ./shadow", shadow: "root:$6$secret:20228:0:99999:7:::\nbin:*:20228:::::\n" },
      text: "shadow: expected an object of options, found a key that is no option's name.",
    },
    {
      name: "extends that is neither a name nor a list",
      files: { ".hookletrc": "extends: 5" },
      text: ".hookletrc:1:1 extends: expected an rc file or package, or a list of them, found 5.",
    },
  ])("$name", async ({ files, text }) => {
    const faults = await faultsOf({ files, modules: { "@hooklet/plugin-gc": gcPlugin } });
    expect(faults.map(faultText)).toEqual([text]);
  });

  test("bases that name each other twice over are bounded", async () => {
    const files: Record<string, string> = { ".hookletrc": "extends: [./0.yaml, ./0.yaml]" };
    for (let depth = 0; depth < 20; depth++)
      files[`${depth}.yaml`] = `extends: [./${depth + 1}.yaml, ./${depth + 1}.yaml]`;
    files["20.yaml"] = "port: 1";
    expect(await faultsOf({ files })).toMatchObject([
      { path: "extends", expected: expect.stringMatching(/at most 50 rc files/) },
    ]);
  });
});

test("as root a base that others can write is refused like the rc file itself, unread", async () => {
  if (process.geteuid?.() !== 0) return;
  const folder = makeFolder();
  writeFileSync(join(folder, "b.mjs"), "globalThis.hookletRanTheBase = true; export default {};");
  chmodSync(join(folder, "b.mjs"), 0o666);
  await expect(loadIn(folder, { uid: 0, files: { ".hookletrc": "extends: ./b.mjs" } })).rejects.toMatchObject({
    faults: [{ file: join(folder, "b.mjs"), expected: expect.stringMatching(/writable by its owner only/) }],
  });
  expect(globalThis).not.toHaveProperty("hookletRanTheBase");
});

describe("files that are no rc files", () => {
  const faultsIn = async (folder: string, setup: Setup = {}): Promise<readonly string[]> =>
    loadIn(folder, setup).then(
      () => [],
      ({ faults }: { faults: Parameters<typeof faultText>[0][] }) =>
        faults.map((fault) => faultText(fault).replaceAll(folder, "")),
    );

  test("a folder in place of the file, found or named", async () => {
    const folder = makeFolder();
    mkdirSync(join(folder, ".hookletrc.yaml"));
    const found = "expected an rc file, found something else than a file, in .";
    expect(await faultsIn(folder)).toEqual([`/.hookletrc.yaml: ${found}`]);
    expect(await faultsIn(folder, { flags: { config: ".hookletrc.yaml" } })).toEqual([`/.hookletrc.yaml: ${found}`]);
  });

  test("--config names a file that is there", async () => {
    expect(await faultsIn(makeFolder(), { flags: { config: "gone.yaml" } })).toEqual(["/gone.yaml: no such file."]);
    const files = { "a.yaml": "port: 1" };
    expect(await faultsIn(makeFolder(), { files, flags: { config: "a.yaml/b.yaml" } })).toEqual([
      expect.stringMatching(/^\/a.yaml\/b.yaml: expected the rc file of --config, found ENOTDIR: not a directory/),
    ]);
  });

  test("a file of more than 1 MiB", async () => {
    const text = (bytes: number): string => `port: 1 #${"x".repeat(bytes - 9)}`;
    const of = (bytes: number) => faultsIn(makeFolder(), { files: { ".hookletrc": text(bytes) } });
    expect(await of(1024 * 1024)).toEqual([]);
    expect(await of(1024 * 1024 + 1)).toEqual([
      "/.hookletrc: expected an rc file of at most 1048576 bytes, found 1048577 bytes.",
    ]);
  });

  test("a program without a default export, or that throws", async () => {
    expect(await faultsIn(makeFolder(), { files: { "hooklet.config.mjs": "export const a = 1;" } })).toEqual([
      "/hooklet.config.mjs: expected the configuration as the default export, found no default export.",
    ]);
    expect(await faultsIn(makeFolder(), { files: { "hooklet.config.mjs": "throw new Error('no');" } })).toEqual([
      "/hooklet.config.mjs: expected an rc file that can be loaded, found the error: no.",
    ]);
  });

  test("a section of package.json has its own place", async () => {
    const text = '{\n  "hooklet": {\n    "node": { "maxPod": 1 }\n  }\n}';
    expect(await faultsIn(makeFolder(), { files: { "package.json": text } })).toEqual([
      expect.stringMatching(/^\/package.json:3:15 node.maxPod: unknown option "maxPod"/),
    ]);
    for (const other of ["{", "null", "[]", '{"a": 1}'])
      expect(await faultsIn(makeFolder(), { files: { "package.json": other } })).toEqual([]);
  });
});
