import { describe, expect, test } from "@jest/globals";
import { wordFault } from "../../../src/faults/faults.js";
import { type Importer, importFile } from "../../../src/load/import-file.js";
import type { Modules } from "../../../src/load/modules.js";

/** `from -> specifier -> file`. */
type Packages = Readonly<Record<string, Readonly<Record<string, string>>>>;

function setUp(packages: Packages) {
  const imported: string[] = [];
  const modules: Modules = {
    resolve: (specifier, from) => packages[from]?.[specifier],
    load: async (file) => {
      imported.push(file);
      return { default: file };
    },
  };
  const trust: Importer["trust"] = (file, path) => wordFault(path, "trust", `no trust in ${file}`);
  const importer: Importer = { modules, from: () => "/etc/rc", hooklet: "/usr/hooklet", trust };
  const get = (...names: string[]) =>
    importFile({ what: "plugin", specifier: names[0] ?? "", names, path: [], known: [] }, importer);
  return { imported, get };
}

describe("where a module comes from", () => {
  test("what hooklet itself brings is not asked for trust", async () => {
    const { get } = setUp({ "/usr/hooklet": { gc: "/usr/gc.js" } });
    expect(await get("gc")).toEqual({ value: "/usr/gc.js", file: "/usr/gc.js" });
  });

  test("a package beside the rc file wins over hooklet's own, must be trusted, and is not imported when it is not", async () => {
    const { get, imported } = setUp({ "/etc/rc": { gc: "/etc/gc.js" }, "/usr/hooklet": { gc: "/usr/gc.js" } });
    expect(await get("gc")).toMatchObject({ fault: { found: "no trust in /etc/gc.js" } });
    expect(imported).toEqual([]);
  });

  test("hooklet's own package stays its own when the rc file sees the same file", async () => {
    const { get } = setUp({ "/etc/rc": { gc: "/usr/gc.js" }, "/usr/hooklet": { gc: "/usr/gc.js" } });
    expect(await get("gc")).toMatchObject({ value: "/usr/gc.js" });
  });

  test("a path is never resolved in hooklet's package", async () => {
    const { get } = setUp({ "/usr/hooklet": { "./gc.js": "/usr/gc.js" } });
    expect(await get("./gc.js")).toBeUndefined();
  });

  test("the first name that is there wins", async () => {
    const { get } = setUp({ "/usr/hooklet": { b: "/usr/b.js", c: "/usr/c.js" } });
    expect(await get("a", "b", "c")).toMatchObject({ file: "/usr/b.js" });
  });
});
