/** `extends`: the rc files that an rc file is built on. */
import { realpathSync } from "node:fs";
import { errorText } from "../errors.js";
import { ConfigFaultsError, type Path, pathText } from "../faults/faults.js";
import { parseWith } from "../faults/schema-faults.js";
import { isPath } from "../load/candidates.js";
import type { Modules } from "../load/modules.js";
import { extendsSchema } from "./entry-schema.js";
import type { RcFile } from "./locate.js";

/** Files that one rc file may stand on, counted as often as they are named. */
const MAX_FILES = 50;

/**
 * The file after all that it extends. What stands later wins: a file over its bases, the second base over the first
 * with everything that one extends.
 * @throws ConfigFaultsError naming the file and line of the `extends` that is wrong
 */
export async function withExtended(
  rc: RcFile,
  modules: Modules,
  read: (file: string) => Promise<RcFile>,
): Promise<readonly RcFile[]> {
  let files = 0;
  const visit = async (one: RcFile, above: readonly string[]): Promise<readonly RcFile[]> => {
    if (++files > MAX_FILES) {
      throw fault(rc, ["extends"], `at most ${MAX_FILES} rc files by way of extends`, "more");
    }
    const chain = [...above, realpathSync(one.file)];
    const bases: RcFile[] = [];
    for (const { specifier, path } of extended(one)) {
      const file = find(specifier, one, path, modules);
      const from = chain.indexOf(realpathSync(file));
      if (from >= 0) {
        const loop = [...chain.slice(from), chain[from]].join(" -> ");
        throw fault(one, path, "rc files that extend each other without a loop", `the loop ${loop}`);
      }
      bases.push(...(await visit(await read(file), chain)));
    }
    return [...bases, one];
  };
  return visit(rc, []);
}

function extended(rc: RcFile): readonly { readonly specifier: string; readonly path: Path }[] {
  const parsed = parseWith(extendsSchema, rc.raw.extends, ["extends"]);
  if (parsed.faults !== undefined) {
    throw new ConfigFaultsError(
      parsed.faults.map(({ path, ...rest }) => ({
        ...rest,
        file: rc.file,
        path: pathText(path),
        ...rc.locate(path),
      })),
    );
  }
  const { value } = parsed;
  if (typeof value === "string") return [{ specifier: value, path: ["extends"] }];
  return (value ?? []).map((specifier, index) => ({ specifier, path: ["extends", index] }));
}

function find(specifier: string, rc: RcFile, path: Path, modules: Modules): string {
  const what = isPath(specifier) ? `a file, relative to ${rc.file}` : `the package ${specifier}, installed`;
  const expected = `an rc file (${what})`;
  let file: string | undefined;
  try {
    file = modules.resolve(specifier, rc.file);
  } catch (error) {
    throw fault(rc, path, expected, `the error: ${errorText(error)}`);
  }
  if (file === undefined) throw fault(rc, path, expected, JSON.stringify(specifier));
  return file;
}

function fault(rc: RcFile, path: Path, expected: string, found: string): ConfigFaultsError {
  return new ConfigFaultsError([{ file: rc.file, path: pathText(path), expected, found, ...rc.locate(path) }]);
}
