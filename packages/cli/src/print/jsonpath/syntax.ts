/** Templates of `-o jsonpath`, in kubectl's dialect: https://kubernetes.io/docs/reference/kubectl/jsonpath/. Pure. */

/** A template: text, values of paths, and parts that are repeated for each value of a path. */
export type Block =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "values"; readonly path: Path }
  | { readonly kind: "range"; readonly path: Path; readonly body: readonly Block[] };

/** Steps from the current object; each takes the values of the one before. */
export type Path = readonly Step[];

export type Step =
  | { readonly kind: "literal"; readonly value: string | number | boolean }
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "every" }
  | { readonly kind: "descend" }
  | { readonly kind: "index"; readonly at: number }
  | { readonly kind: "slice"; readonly from: number | undefined; readonly to: number | undefined; readonly by: number }
  | { readonly kind: "union"; readonly paths: readonly Path[] }
  | { readonly kind: "exists"; readonly path: Path }
  | { readonly kind: "compare"; readonly left: Path; readonly operator: Operator; readonly right: Path };

export type Operator = "==" | "!=" | "<" | "<=" | ">" | ">=";

export const OPERATORS: readonly string[] = ["==", "!=", "<=", ">=", "<", ">"] satisfies Operator[];
