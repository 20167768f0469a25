/** Plugins that an rc file in JavaScript or TypeScript holds itself, in place of a name. */
import { isRecord } from "@hooklet/manifest";

const held = new Map<string, { readonly value: unknown; readonly file: string }>();

/** The options with a name in place of each plugin: `FILE#NAME`. A file that is read again brings its plugins anew. */
export function nameInline(
  options: Readonly<Record<string, unknown>>,
  file: string,
): Readonly<Record<string, unknown>> {
  const { plugins } = options;
  if (!Array.isArray(plugins)) return options;
  const named = (entry: unknown): unknown => (isPlugin(entry) ? remember(entry, file) : entry);
  return {
    ...options,
    plugins: plugins.map((entry: unknown) =>
      Array.isArray(entry) ? [named(entry[0]), ...entry.slice(1)] : named(entry),
    ),
  };
}

export function inlinePlugin(specifier: string): { readonly value: unknown; readonly file: string } | undefined {
  return held.get(specifier);
}

function isPlugin(entry: unknown): entry is { readonly meta: { readonly name: string } } {
  return isRecord(entry) && isRecord(entry.meta) && typeof entry.meta.name === "string";
}

function remember(plugin: { readonly meta: { readonly name: string } }, file: string): string {
  const specifier = `${file}#${plugin.meta.name}`;
  held.set(specifier, { value: plugin, file });
  return specifier;
}
