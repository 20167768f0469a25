/** The shape of Kubernetes objects as data: which fields there are, of which type, and which hooklet refuses. */

export type Shape =
  | { readonly is: "text" | "flag" | "quantity" | "portRef" }
  | { readonly is: "integer"; readonly min: number; readonly max: number }
  | { readonly is: "list" | "map"; readonly of: Shape }
  | { readonly is: "object"; readonly fields: Readonly<Record<string, Shape>> }
  /** Known to Kubernetes, not to hooklet; `harmless` values mean the same as leaving it out. */
  | { readonly is: "refused"; readonly why: string; readonly harmless: readonly unknown[] }
  /** Written by the API server, without meaning in a manifest. */
  | { readonly is: "dropped" };

export const text: Shape = { is: "text" };
export const flag: Shape = { is: "flag" };
/** Amounts may be numbers or texts; read, they are texts in canonical form. */
export const quantity: Shape = { is: "quantity" };
/** A port number or a port's name. */
export const portRef: Shape = { is: "portRef" };
export const dropped: Shape = { is: "dropped" };
export const int32: Shape = { is: "integer", min: -(2 ** 31), max: 2 ** 31 - 1 };
/** As far as JavaScript counts exactly. */
export const int64: Shape = { is: "integer", min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER };

export const list = (of: Shape): Shape => ({ is: "list", of });
export const map = (of: Shape): Shape => ({ is: "map", of });
export const object = (fields: Readonly<Record<string, Shape>>): Shape => ({ is: "object", fields });

export const NEEDS_API_SERVER = "not supported by hooklet without an API server";
export const NOT_SUPPORTED = "not supported by hooklet";

export const refused = (why = NOT_SUPPORTED, ...harmless: readonly unknown[]): Shape => ({
  is: "refused",
  why,
  harmless,
});

/** All of these fields are refused for the same reason. */
export function allRefused(why: string, ...names: readonly string[]): Record<string, Shape> {
  return Object.fromEntries(names.map((name) => [name, refused(why)]));
}
