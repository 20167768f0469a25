import path from "node:path";
import { describe, expect, test } from "@jest/globals";
import { codeOf, importCircles, importsOf, packageSources, roomCircles } from "../../sources.js";

const sources = packageSources();
/** Plugins with seams that a simulation binds. */
const simulatedPlugins = [
  "@hooklet/plugin-cgroups",
  "@hooklet/plugin-devices",
  "@hooklet/plugin-probe",
  "@hooklet/plugin-shutdown",
];
/** What all packages but the contract stand on. */
const shared = ["@hooklet/utils", "@hooklet/linux"];
const role = (name: string): string => name.replace(/^@hooklet\//, "").replace(/-.*$/, "");

describe("direction of imports", () => {
  test("there are sources to check", () => {
    expect(sources.length).toBeGreaterThan(100);
  });

  test.each([
    ["manifest", []],
    ["utils", ["@hooklet/manifest/messages"]],
    ["linux", ["@hooklet/utils"]],
    ["cri-api", ["@hooklet/manifest", ...shared]],
    ["logs", shared],
    ["volumes", ["@hooklet/manifest", ...shared]],
    ["core", ["@hooklet/manifest", "@hooklet/cri-api", "@hooklet/logs", "@hooklet/volumes", ...shared]],
    ["config", ["@hooklet/core", "@hooklet/manifest", ...shared]],
    ["streams", ["@hooklet/core", "@hooklet/utils"]],
    ["server", ["@hooklet/core", "@hooklet/logs", "@hooklet/manifest", "@hooklet/streams", ...shared]],
    ["cli", ["@hooklet/core", "@hooklet/manifest", "@hooklet/streams", "@hooklet/utils"]],
    ["sim", ["@hooklet/core", ...shared]],
    ["testkit", ["@hooklet/config", "@hooklet/core", "@hooklet/sim", ...shared]],
    [
      "simulate",
      [
        ...["@hooklet/cli/extend", "@hooklet/config", "@hooklet/core", "@hooklet/manifest", "@hooklet/sim"],
        ...shared,
        ...simulatedPlugins,
      ],
    ],
  ])("%s imports %j and no other package of the workspace", (name, allowed: readonly string[]) => {
    const wrong = sources
      .filter((file) => file.package === name)
      .flatMap((file) => importsOf(file.text).map((specifier) => ({ file: file.path, specifier })))
      .filter(({ specifier }) => specifier === "hooklet" || specifier.startsWith("@hooklet/"))
      .filter(({ specifier }) => !allowed.some((one) => specifier === one || specifier.startsWith(`${one}/`)));
    expect(wrong).toEqual([]);
  });

  test("streams and the CLI, which is a client, know no host of an agent", () => {
    const wrong = sources
      .filter((file) => ["cli", "streams"].includes(file.package))
      .filter((file) => importsOf(file.text).some((one) => /^@hooklet\/core\/(host|internal)$/.test(one)));
    expect(wrong.map((file) => file.path)).toEqual([]);
  });

  test("simulate takes types alone of plugins, but for the seams that it binds", () => {
    const taken = sources
      .filter((file) => file.package === "simulate" && file.path !== "packages/simulate/src/world/world.ts")
      .flatMap(({ text }) => [...text.matchAll(/^.*from "(@hooklet\/plugin-[^"]+)";$|import\("@hooklet\/plugin-.*$/gm)])
      .map(([line]) => line);
    expect(taken.length).toBeGreaterThan(0);
    expect(taken.filter((line) => !/^import type \{[^}]*\} from /.test(line))).toEqual([]);
  });

  test("plugins, runtimes, sources import core's entries, utils, linux and a gRPC call alone, a runtime what streams to it, source-manifest what reads manifests", () => {
    const wrong = sources
      .filter((file) => ["plugin", "runtime", "source"].includes(role(file.package)))
      .flatMap((file) => importsOf(file.text).map((specifier) => ({ file: file.path, specifier })))
      .filter(
        ({ specifier }) =>
          specifier.startsWith("@hooklet/") &&
          !/^@hooklet\/(utils|linux|core(\/(subsystem|rules|host|internal|base))?)$/.test(specifier),
      )
      .filter(({ file, specifier }) => !(file.startsWith("packages/runtime-") && specifier === "@hooklet/streams"))
      .filter(
        ({ file, specifier }) => !(file.startsWith("packages/source-manifest/") && specifier === "@hooklet/manifest"),
      )
      .filter(({ specifier }) => specifier !== "@hooklet/streams/grpc");
    expect(wrong).toEqual([]);
  });

  test("of Linux and of the internal entry, plugins take these few names and nothing else", () => {
    const taken = sources
      .filter((file) => role(file.package) === "plugin")
      .flatMap(({ text }) => [
        ...text.matchAll(/^(?:import|export) (?:type )?\{([^}]*)\} from "@hooklet\/(?:linux|core\/internal)";/gm),
      ])
      .flatMap(([, names = ""]) => names.split(","))
      .map((name) => name.replace(/^\s*type\s/, "").trim());
    expect([...new Set(taken)].filter((name) => name !== "").sort()).toEqual([
      "Place",
      "SharedHelper",
      "StateFile",
      "disk",
      "listenPrivately",
      "makeCgroup",
      "occupantOf",
      "openStateFile",
      "ownCgroups",
      "pidsBelow",
      "removeCgroup",
      "removeTree",
      "serveHelper",
      "socketIdentity",
      "writeFileAtomic",
    ]);
  });

  test("a plugin author needs at most 80 names, starting an agent or writing a runtime or a source fewer than 60 more", () => {
    expect(namesBehind("packages/core/src/index.ts").length).toBeLessThanOrEqual(80);
    expect(namesBehind("packages/core/src/host.ts").length).toBeLessThan(60);
  });

  test("no name is behind two of core's entries, but what is quick to load for authors and for base", () => {
    const entries = ["subsystem", "host", "internal", "base"].map((entry) =>
      namesBehind(`packages/core/src/${entry}.ts`),
    );
    const names = entries.flat();
    expect(names.length).toBeGreaterThan(150);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
    const author = namesBehind("packages/core/src/index.ts");
    expect(
      entries
        .slice(0, 3)
        .flat()
        .filter((name) => author.includes(name)),
    ).toEqual([]);
  });

  test.each([
    ["config", ["plugin"]],
    ["plugin", ["config"]],
  ])("in core, %s/ imports nothing of %j", (room, banned: readonly string[]) => {
    const files = sources.filter((file) => file.path.startsWith(`packages/core/src/${room}/`));
    expect(files.length).toBeGreaterThan(1);
    const wrong = files.flatMap((file) =>
      importsOf(file.text)
        .filter((specifier) => banned.some((one) => specifier.startsWith(`../${one}/`)))
        .map((specifier) => `${file.path} -> ${specifier}`),
    );
    // Types of what was loaded are part of the configuration.
    expect(wrong.filter((line) => !line.endsWith("../plugin/loaded.js"))).toEqual([]);
  });

  test("in core, no folder below the agent's own imports it, types neither", () => {
    const below = sources.filter(({ path }) => /^packages\/core\/src\/(?!agent\/)[^/]+\//.test(path));
    expect(below.length).toBeGreaterThan(100);
    const wrong = below.flatMap((file) =>
      importsOf(file.text)
        .filter((specifier) => /^(\.\.\/)+agent\//.test(specifier))
        .map((specifier) => `${file.path} -> ${specifier}`),
    );
    expect(wrong).toEqual([]);
  });

  test("no file imports itself by way of others", () => {
    expect(importCircles(sources)).toEqual([]);
  });

  test.each([...new Set(sources.map((file) => file.package))])(
    "no folder of %s imports itself through others, not even types",
    (name) => {
      expect(roomCircles(sources.filter((file) => file.package === name))).toEqual([]);
    },
  );

  test("a cycle of folders would be found", () => {
    const core = sources.filter((file) => file.package === "core");
    const back = {
      path: "packages/core/src/plan/x.ts",
      package: "core",
      text: 'import { y } from "../pod/life/worker.js";',
    };
    expect(roomCircles([...core, back])).toHaveLength(1);
  });

  test("no package reaches into another one's folders", () => {
    const wrong = sources
      .flatMap((file) => importsOf(file.text).map((specifier) => ({ file, specifier })))
      .filter(({ file, specifier }) => {
        if (!specifier.startsWith(".")) return false;
        const target = new URL(specifier, `file:///${file.path}`).pathname;
        return !target.startsWith(`/packages/${file.package}/src/`);
      })
      .map(({ file, specifier }) => `${file.path} -> ${specifier}`);
    // Every package.json is read for its version.
    expect(wrong.filter((line) => !line.endsWith("package.json"))).toEqual([]);
  });

  test.each(["execa", "@grpc/grpc-js"])("%s is imported in one file per package", (library) => {
    const files = new Map<string, string[]>();
    for (const file of sources) {
      if (!importsOf(file.text).includes(library)) continue;
      files.set(file.package, [...(files.get(file.package) ?? []), file.path]);
    }
    expect([...files.values()].filter((list) => list.length > 1)).toEqual([]);
  });
});

/** What a file exports, by name. */
function namesBehind(file: string): readonly string[] {
  const text = codeOf(sources.find((source) => source.path === file)?.text ?? "");
  const listed = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)]
    .flatMap(([, names = ""]) => names.split(","))
    .map((name) =>
      name
        .replace(/^\s*type\s/, "")
        .replace(/^.* as /, "")
        .trim(),
    );
  const own = [...text.matchAll(/^export (?:async )?(?:function|class|const|interface|type) (\w+)/gm)].map(
    ([, name]) => name as string,
  );
  const whole = [...text.matchAll(/^export \* from "(\.[^"]+)"/gm)].flatMap(([, specifier = ""]) =>
    namesBehind(path.posix.join(path.posix.dirname(file), specifier.replace(/\.js$/, ".ts"))),
  );
  return [...listed, ...own, ...whole].filter((name) => name !== "");
}
