import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { faultText } from "../../src/faults/faults.js";
import { faultsOf, gcPlugin, load, loadIn, makeFolder } from "../fixture.js";

const modules = { "@hooklet/plugin-gc": gcPlugin };

describe("without an rc file", () => {
  test("every setting has the kubelet's default, and that as its origin", async () => {
    const { config } = await load({});
    expect(config.file).toBeUndefined();
    expect(config.node).toEqual({
      name: "worker-1",
      labels: {},
      taints: [],
      maxPods: 110,
      systemReserved: {},
      kubeReserved: {},
      reservedSystemCPUs: "",
      evictionHard: {
        "memory.available": "100Mi",
        "nodefs.available": "10%",
        "nodefs.inodesFree": "5%",
        "imagefs.available": "15%",
        "imagefs.inodesFree": "5%",
      },
      capacity: {},
      clusterDNS: [],
      clusterDomain: "",
      resolvConf: "/etc/resolv.conf",
      containerLogMaxSize: "10Mi",
      containerLogMaxFiles: 5,
      serializeImagePulls: true,
      allowedUnsafeSysctls: [],
      mergeDefaultEvictionSettings: false,
    });
    expect(config.sources).toEqual({
      manifests: null,
      manifestUrl: null,
      manifestUrlHeader: {},
      objects: [],
      restrictions: {},
      fileCheckFrequency: 20,
      httpCheckFrequency: 20,
    });
    expect(config).toMatchObject({
      port: 10248,
      runtime: { specifier: "process", options: { cgroups: true } },
    });
    expect(new Set(config.effective.map(({ origin }) => origin))).toEqual(new Set(["default"]));
  });

  test.each([
    {
      name: "root keeps its state in /var/lib",
      uid: 0,
      env: {},
      rootDir: "/var/lib/hooklet",
    },
    {
      name: "a user in XDG_STATE_HOME",
      uid: 1,
      env: { XDG_STATE_HOME: "/state" },
      rootDir: "/state/hooklet",
    },
  ])("$name", async ({ uid, env, rootDir }) => {
    const { config } = await load({ uid, env });
    expect(config).toMatchObject({
      rootDir,
      socket: `${rootDir}/hooklet.sock`,
    });
  });
});

describe("where it is found", () => {
  const cases = [
    { file: ".hookletrc", text: "node: { maxPods: 7 }" },
    { file: ".hookletrc.json", text: '{"node":{"maxPods":7}}' },
    { file: ".hookletrc.yaml", text: "node: { maxPods: 7 }" },
    { file: ".hookletrc.yml", text: "node: { maxPods: 7 }" },
    { file: "hooklet.config.yaml", text: "node: { maxPods: 7 }" },
    {
      file: "hooklet.config.mjs",
      text: "export default { node: { maxPods: 7 } };",
    },
    {
      file: ".hookletrc.cjs",
      text: "module.exports = { node: { maxPods: 7 } };",
    },
    {
      file: "package.json",
      text: '{"name":"x","hooklet":{"node":{"maxPods":7}}}',
    },
  ];
  test.each(cases)("$file in the working directory", async ({ file, text }) => {
    const { config, folder } = await load({ files: { [file]: text } });
    expect(config.node.maxPods).toBe(7);
    expect(config.file).toBe(join(folder, file));
  });

  test("the system folder is searched after the working directory", async () => {
    const folder = makeFolder();
    mkdirSync(join(folder, "etc"));
    const config = await loadIn(folder, {
      files: { "etc/.hookletrc": "port: 1" },
    });
    expect(config.port).toBe(1);
    expect(await loadIn(folder, { files: { ".hookletrc": "port: 2" } })).toMatchObject({ port: 2 });
  });

  test("the folders above the working directory are never searched", async () => {
    const folder = makeFolder();
    mkdirSync(join(folder, "below"));
    await loadIn(folder, { files: { ".hookletrc": "port: 1" } });
    expect(await loadIn(join(folder, "below"), {})).toMatchObject({
      port: 10248,
    });
  });

  test("a package.json without a section for hooklet is not ours", async () => {
    const { config } = await load({
      files: {
        "package.json": '{"name":"x"}',
        "hooklet.config.yaml": "port: 3",
      },
    });
    expect(config.port).toBe(3);
  });

  test("--config names one file; one that is not there is a fault", async () => {
    const { config } = await load({
      files: { "own.yaml": "port: 4", ".hookletrc": "port: 5" },
      flags: { config: "own.yaml" },
    });
    expect(config.port).toBe(4);
    expect(await faultsOf({ flags: { config: "gone.yaml" } })).toMatchObject([
      { file: "gone.yaml", expected: "the rc file of --config", found: "no such file" },
    ]);
  });

  test("a KubeletConfiguration is one fault, however many fields it has", async () => {
    const files = { "own.yaml": "apiVersion: v1beta1\nkind: KubeletConfiguration\nmaxPods: 5\n" };
    expect(await faultsOf({ files, flags: { config: "own.yaml" } })).toMatchObject([
      { file: "own.yaml", line: 2, path: "kind", found: "a KubeletConfiguration" },
    ]);
  });

  test("an empty rc file is all defaults", async () => {
    const { config } = await load({
      files: { "own.yaml": "# nothing\n" },
      flags: { config: "own.yaml" },
    });
    expect(config.port).toBe(10248);
  });

  test("a .config/config.js of the working directory is not run", async () => {
    const folder = makeFolder();
    mkdirSync(join(folder, ".config"));
    const here = process.cwd();
    process.chdir(folder);
    try {
      await loadIn(folder, {
        files: {
          ".config/config.js": "globalThis.hookletWasTricked = true;",
          ".hookletrc": "",
        },
      });
    } finally {
      process.chdir(here);
    }
    expect(globalThis).not.toHaveProperty("hookletWasTricked");
  });

  test("$import, which some tools follow, is an unknown option", async () => {
    expect(await faultsOf({ files: { ".hookletrc": "$import: /etc/other.yaml" } })).toMatchObject([
      { path: '["$import"]', found: 'unknown option "$import"' },
    ]);
  });
});

describe("faults", () => {
  test("five different faults are reported at once, each with file, line, path, expected and found", async () => {
    const rc = `
node:
  maxPod: 10
  systemReserved: { cpu: lots }
sources:
  fileCheckFrequency: 20 seconds
plugins:
  - ["@hooklet/plugin-gc", { highThresholdPercent: a lot, order: largest }]
  - "./plugins/gone.mjs"
`;
    const faults = await faultsOf({
      files: { ".hookletrc.yaml": rc },
      modules,
    });
    expect(faults.map(faultText)).toEqual([
      '.hookletrc.yaml:3:3 node.maxPod: unknown option "maxPod". Did you mean "maxPods"?',
      '.hookletrc.yaml:4:21 node.systemReserved.cpu: expected a quantity of 0 or more (100m, 2Gi, 4), found "lots".',
      '.hookletrc.yaml:6:3 sources.fileCheckFrequency: expected a duration from 100ms to 24h (20s, 1m0s, or a number of seconds), found "20 seconds".',
      '.hookletrc.yaml:8:59 plugins[0].order: expected a known strategy (lru, largest-first), or {use: FILE or PACKAGE}, found "largest". Did you mean "largest-first"?',
      '.hookletrc.yaml:8:30 plugins[0].highThresholdPercent: expected a number, found "a lot".',
      '.hookletrc.yaml:9:5 plugins[1]: no such file: "./plugins/gone.mjs".',
    ]);
  });

  const cases = [
    { name: "a YAML error", rc: "node: [", path: "", found: /Flow sequence/ },
    {
      name: "two documents",
      rc: "port: 1\n---\nport: 2",
      path: "",
      found: /2 documents/,
    },
    {
      name: "a text for the whole file",
      rc: "hello",
      path: "",
      found: "a string",
    },
    {
      name: "a reserved resource that is none",
      rc: "node: { systemReserved: { gpu: 1 } }",
      path: "node.systemReserved.gpu",
      found: /gpu/,
    },
    {
      name: "a URL of another kind",
      rc: "sources: { manifestUrl: 'file:///etc/passwd' }",
      path: "sources.manifestUrl",
      found: /file:/,
    },
    {
      name: "a plugin entry of three",
      rc: "plugins: [[a, {}, 1]]",
      path: "plugins[0]",
      found: /\["a",\{\},1\]/,
    },
    {
      name: "an address that is none",
      rc: "node: { ip: 1.2.3 }",
      path: "node.ip",
      found: /1\.2\.3/,
    },
    {
      name: "one log file, which cannot be rotated",
      rc: "node: { containerLogMaxFiles: 1 }",
      path: "node.containerLogMaxFiles",
      found: /1/,
    },
  ];
  test.each(cases)("$name", async ({ rc, path, found }) => {
    const faults = await faultsOf({ files: { ".hookletrc.yaml": rc } });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatchObject({
      file: ".hookletrc.yaml",
      path,
      found: expect.stringMatching(found),
    });
    expect(faults[0]?.expected).not.toMatch(/invalid|input/i);
  });

  test("a list of more words than any configuration has is refused where it gets too long", async () => {
    const faults = await faultsOf({
      files: { ".hookletrc.yaml": `node:\n  allowedUnsafeSysctls: [${"a, ".repeat(20_000)}]\n` },
    });
    expect(faults).toMatchObject([
      { expected: "YAML", found: expect.stringContaining("more than 30000 words and signs") },
    ]);
  });

  test("an alias bomb is refused", async () => {
    const bomb = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
    for (let i = 1; i < 9; i++)
      bomb.push(
        `a${i}: &a${i} [${Array(10)
          .fill(`*a${i - 1}`)
          .join(", ")}]`,
      );
    const faults = await faultsOf({
      files: { ".hookletrc.yaml": bomb.join("\n") },
    });
    expect(faults).toMatchObject([{ path: "", found: expect.stringMatching(/alias/i) }]);
  });

  test("an rc file of more than 1 MiB is refused", async () => {
    const faults = await faultsOf({
      files: { ".hookletrc.yaml": `# ${"x".repeat(1024 * 1024)}` },
    });
    expect(faults).toMatchObject([{ expected: "an rc file of at most 1048576 bytes" }]);
  });

  test("another tool's package.json may be larger: hooklet ignores it", async () => {
    const files = { "package.json": JSON.stringify({ name: "x".repeat(1024 * 1024) }) };
    const { config } = await load({ files: { ...files, "hooklet.config.yaml": "port: 1" } });
    expect(config.port).toBe(1);
  });

  test("broken JSON is reported with line and column", async () => {
    const faults = await faultsOf({
      files: { ".hookletrc.json": '{\n  "port": 1,\n}' },
    });
    expect(faults).toMatchObject([{ file: ".hookletrc.json", line: 3, column: 1, expected: "JSON" }]);
  });

  test("a module that throws is reported with its error", async () => {
    const faults = await faultsOf({
      files: { "hooklet.config.mjs": 'throw new Error("no such luck");' },
    });
    expect(faults).toMatchObject([{ file: "hooklet.config.mjs", found: "the error: no such luck" }]);
  });

  test("a fault of the command line names the flag", async () => {
    const faults = await faultsOf({
      files: { ".hookletrc": "port: 1" },
      flags: { port: 99999, nodeName: "No_Name" },
    });
    expect(faults).toMatchObject([
      { file: "--port", path: "port", found: "99999" },
      { file: "--node-name", path: "node.name", found: '"No_Name"' },
    ]);
  });

  test("a host name that cannot name a node asks for a name", async () => {
    const faults = await faultsOf({ hostname: "my_host" });
    expect(faults).toMatchObject([
      {
        path: "node.name",
        expected: expect.stringMatching(/--node-name/),
        found: '"my_host"',
      },
    ]);
  });
});

describe("merging", () => {
  const rc = `node:
  name: from-file
  maxPods: 9
port: 1000
runtime: { use: process, options: { cgroups: false } }
sources:
  manifests: ./manifests
  manifestUrlHeader: { Authorization: [secret] }
plugins:
  - [gc, { lowThresholdPercent: 10 }]
`;
  const flags = { port: 0, nodeName: "from-flag", manifests: "other" };

  test("the command line wins over the rc file, which wins over the defaults; each value knows its origin", async () => {
    const { config, folder } = await load({
      files: { ".hookletrc.yaml": rc },
      modules,
      flags,
    });
    const origin = (path: string) =>
      config.effective.find((one) => one.path === path)?.origin.replace(`${folder}/`, "");
    expect(config).toMatchObject({
      port: 0,
      node: { name: "from-flag", maxPods: 9, allowedUnsafeSysctls: [] },
    });
    expect(origin("port")).toBe("--port");
    expect(origin("node.name")).toBe("--node-name");
    expect(origin("node.maxPods")).toBe(".hookletrc.yaml:3");
    expect(origin("node.containerLogMaxFiles")).toBe("default");
    expect(origin("runtime.options.cgroups")).toBe(".hookletrc.yaml:5");
    expect(origin('plugins["@hooklet/plugin-gc"]')).toBe(".hookletrc.yaml:10");
    expect(origin('plugins["@hooklet/plugin-gc"].lowThresholdPercent')).toBe(".hookletrc.yaml:10");
    expect(origin('plugins["@hooklet/plugin-gc"].highThresholdPercent')).toBe("default");
    expect(origin('plugins["@hooklet/plugin-gc"].order')).toBe("default");
  });

  test("paths of the rc file are relative to it, those of the command line to the working directory", async () => {
    const folder = makeFolder();
    mkdirSync(join(folder, "conf"));
    mkdirSync(join(folder, "work"));
    await loadIn(folder, {
      files: {
        "conf/rc.yaml": "sources: { manifests: ./m }\nrootDir: ../state",
      },
    });
    const one = await loadIn(join(folder, "work"), {
      flags: { config: "../conf/rc.yaml" },
    });
    expect(one).toMatchObject({
      sources: { manifests: join(folder, "conf/m") },
      rootDir: join(folder, "state"),
    });
    const two = await loadIn(join(folder, "work"), {
      flags: { config: "../conf/rc.yaml", manifests: "m", rootDir: "s" },
    });
    expect(two).toMatchObject({
      sources: { manifests: join(folder, "work/m") },
      rootDir: join(folder, "work/s"),
    });
    expect(two.socket).toBe(join(folder, "work/s/hooklet.sock"));
  });

  test("header values, which may be secrets, are never shown", async () => {
    const { config } = await load({
      files: { ".hookletrc.yaml": rc },
      modules,
    });
    expect(config.sources.manifestUrlHeader).toEqual({
      Authorization: ["secret"],
    });
    expect(JSON.stringify(config.effective)).not.toContain("secret");
  });

  test("--runtime keeps the options of the rc file for the same runtime only", async () => {
    const other = {
      "@hooklet/runtime-other": {
        ...(await import("../fixture.js")).processRuntime,
      },
    };
    const same = await load({
      files: { ".hookletrc": rc },
      modules,
      flags: { runtime: "process" },
    });
    expect(same.config.runtime.options).toEqual({ cgroups: false });
    const changed = await load({
      files: { ".hookletrc": rc },
      modules: { ...modules, ...other },
      flags: { runtime: "other" },
    });
    expect(changed.config.runtime).toMatchObject({
      specifier: "other",
      options: { cgroups: true },
    });
    expect(changed.config.effective).toContainEqual({
      path: "runtime",
      value: "other",
      origin: "--runtime",
    });
  });
});
