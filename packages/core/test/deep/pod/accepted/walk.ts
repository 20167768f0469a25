/** The fields of a manifest: all that are accepted, and a value put where its path leads. */
import { nothingProvided } from "../../../../../manifest/src/provided.js";
import { podShape } from "../../../../../manifest/src/schema/pod-shape.js";
import type { Shape } from "../../../../../manifest/src/shape.js";

// biome-ignore lint/suspicious/noExplicitAny: a manifest as a person writes it, before anything was checked
export type Manifest = any;

const pod = podShape(nothingProvided);

/** Paths of the fields that hold values; a list of values is one field, and so is a map. */
export const accepted: readonly string[] = [...leaves(pod, "")].filter((at) => !["apiVersion", "kind"].includes(at));

function* leaves(shape: Shape, at: string): Generator<string> {
  if (shape.is === "list" || shape.is === "map") yield* leaves(shape.of, at);
  else if (shape.is === "object") {
    for (const [name, field] of Object.entries(shape.fields)) yield* leaves(field, at === "" ? name : `${at}.${name}`);
  } else if (shape.is !== "refused" && shape.is !== "dropped") yield at;
}

/** Puts a value at a path; of lists on the way the first entry is meant. Undefined takes the field away. */
export function put(manifest: Manifest, path: string, value: unknown): void {
  const names = path.split(".");
  const last = names.pop() as string;
  let shape: Shape = pod;
  let at = manifest;
  for (const name of names) {
    shape = fieldOf(shape, name);
    const isList = shape.is === "list";
    at[name] ??= isList ? [{}] : {};
    at = isList ? at[name][0] : at[name];
    if (shape.is === "list") shape = shape.of;
  }
  if (value === undefined) delete at[last];
  else at[last] = value;
}

function fieldOf(shape: Shape, name: string): Shape {
  const field = shape.is === "object" ? shape.fields[name] : undefined;
  if (field === undefined) throw new Error(`no field ${name}`);
  return field;
}
