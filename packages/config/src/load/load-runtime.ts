import type { RuntimeFactory } from "@hooklet/core/host";
import { defaultRuntime, type LoadedRuntime, notASchema } from "@hooklet/core/internal";
import { errorText } from "@hooklet/utils";
import { type Path, type ValueFault, valueFault, wordFault } from "../faults/faults.js";
import { parseWith } from "../faults/schema-faults.js";
import { candidates } from "./candidates.js";
import { type Importer, importFile, missing } from "./import-file.js";

const knownRuntimes: readonly string[] = [defaultRuntime, "cri"];

export interface RuntimeEntry {
  readonly specifier: string;
  readonly options: unknown;
  /** Of the specifier, and of its options. */
  readonly path: Path;
  readonly optionsPath: Path;
}

/** Imports and checks the runtime, or tells all that is wrong with it. Never throws. */
export async function loadRuntime(
  entry: RuntimeEntry,
  importer: Importer,
): Promise<{ readonly runtime: LoadedRuntime } | { readonly faults: readonly ValueFault[] }> {
  const { specifier, path } = entry;
  const names = candidates("runtime", specifier);
  const request = { what: "runtime", specifier, names, path, known: knownRuntimes };
  const imported = await importFile(request, importer);
  if (imported === undefined) return { faults: [missing(request, importer)] };
  if (imported.fault !== undefined) return { faults: [imported.fault] };

  const factory = imported.value as Partial<RuntimeFactory> | undefined | null;
  const shape = `a runtime ({meta: {name, api: 1}, options, create}) as the default export of ${imported.file}`;
  const isRuntime = typeof factory?.create === "function" && typeof factory.meta?.name === "string";
  if (!isRuntime) return { faults: [valueFault(path, shape, imported.value)] };
  if (factory.meta?.api !== 1) {
    return { faults: [valueFault(path, `meta.api 1 in ${imported.file}`, factory.meta?.api)] };
  }
  const wrong = notASchema(factory.options);
  if (wrong !== undefined || factory.options === undefined) {
    return { faults: [wordFault(path, `options in ${imported.file} to be a zod 4 schema`, wrong ?? "nothing")] };
  }
  try {
    const parsed = parseWith(factory.options, entry.options ?? {}, entry.optionsPath);
    if (parsed.faults !== undefined) return parsed;
    return { runtime: { factory: factory as RuntimeFactory, options: parsed.value, specifier } };
  } catch (error) {
    return {
      faults: [wordFault(path, "options that the runtime's schema can check", `the error: ${errorText(error)}`)],
    };
  }
}
