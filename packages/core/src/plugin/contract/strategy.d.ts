import type { z } from "zod";
/**
 * A zod schema of an object; unknown keys are refused by the loader whatever the schema says. A function gets hooklet's
 * own zod, so that a plugin of one file needs no package: `options: (z) => z.object({ ... })`.
 */
export type OptionsSchema<Options> = z.ZodType<Options> | ((zod: typeof z) => z.ZodType<Options>);
/** A table of strategies for one decision: name -> options schema and factory. The first entry is the default. */
export type StrategyTable<Strategy> = Readonly<Record<string, StrategyEntry<Strategy>>>;
export interface StrategyEntry<Strategy> {
  readonly description: string;
  readonly options: OptionsSchema<any>;
  create(options: any): Strategy;
}
