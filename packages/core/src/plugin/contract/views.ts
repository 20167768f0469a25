import type { Json } from "@hooklet/utils";

/** A table for people and programs. */
export interface View {
  readonly description: string;
  readonly columns: readonly ViewColumn[];
  /** One record per row, keyed by column name; may hold more than the columns show. */
  rows(): readonly ViewRow[] | Promise<readonly ViewRow[]>;
}

export interface ViewColumn {
  readonly name: string;
  /** Shown with `-o wide` only. */
  readonly wide?: boolean;
}

export type ViewRow = Readonly<Record<string, Json>>;
