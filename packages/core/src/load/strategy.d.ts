import type { Path, ValueFault } from "../faults/faults.js";
import type { StrategyTable } from "../plugin/contract.js";
/** What the rc file says for one strategy point: nothing, a name, or `{use, options}`. */
export interface StrategyRequest {
  readonly table: StrategyTable<unknown>;
  readonly value: unknown;
  /** Where the value stands. */
  readonly path: Path;
}
/** Imports a strategy file or package that the rc file names. */
export type ImportStrategy = (
  specifier: string,
  path: Path,
) => Promise<
  | {
      readonly value: unknown;
    }
  | {
      readonly fault: ValueFault;
    }
  | undefined
>;
export type ResolvedStrategy =
  | {
      readonly strategy: unknown;
      readonly faults?: undefined;
    }
  | {
      readonly faults: readonly ValueFault[];
    };
/** What the rc file calls a strategy that `start` got: a built-in's name, or the file or package it came from. */
export declare function strategyName(strategy: object): string | undefined;
/** The strategy that the rc file asks for, made; or what is wrong with the request. Never throws. */
export declare function resolveStrategy(request: StrategyRequest, load: ImportStrategy): Promise<ResolvedStrategy>;
