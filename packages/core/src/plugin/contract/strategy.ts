import type { z } from "zod";

/**
 * A zod schema of an object; the loader refuses unknown keys with any schema. A function gets hooklet's
 * zod, so that a plugin of one file needs no package: `options: (z) => z.object({ ... })`.
 */
export type OptionsSchema<Options> = z.ZodType<Options> | ((zod: typeof z) => z.ZodType<Options>);

/** A table of strategies for one decision: name -> options schema and factory. The first entry is the default. */
export type StrategyTable<Strategy> = Readonly<Record<string, StrategyEntry<Strategy>>>;

/** The tables of a plugin, by strategy point. */
export type StrategyTables<Strategies> = { readonly [Point in keyof Strategies]: StrategyTable<Strategies[Point]> };

// biome-ignore lint/suspicious/noExplicitAny: each entry of a table has other options, checked by its own schema
export interface StrategyEntry<Strategy, Options = any> {
  readonly description: string;
  readonly options: OptionsSchema<Options>;
  create(options: Options): Strategy;
}
