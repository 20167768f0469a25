/** The rc file's options as documents: the table of docs/reference/rc-file.md, and the JSON schema for editors. */

import { join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { SourcePlugins } from "@hooklet/core/host";
import { rcSchemaWith } from "@hooklet/core/internal";
import { setAt } from "@hooklet/utils";
import { z } from "zod";
import type { Path } from "./faults/faults.js";
import type { Layer } from "./layers.js";

/** The parts of JSON schema that zod writes for the rc file. */
interface JsonSchema {
  readonly title?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
}

/** JSON schema (draft 2020-12) of the rc file as it is written. */
export function rcJsonSchema(sources: SourcePlugins = {}): Readonly<Record<string, unknown>> {
  const schema = z.toJSONSchema(rcSchemaWith(sources), { io: "input", unrepresentable: "any" });
  return { ...schema, title: "hooklet rc file" };
}

/** A Markdown table: option, type, default, description. */
export function rcOptionTable(sources: SourcePlugins = {}): string {
  const rows = rowsOf(rcJsonSchema(sources) as JsonSchema, "");
  const lines = rows.map((row) => `| ${row.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`);
  return ["| option | type | default | meaning |", "|---|---|---|---|", ...lines].join("\n");
}

function rowsOf(schema: JsonSchema, prefix: string): readonly (readonly string[])[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, option]) => {
    const path = prefix + key;
    const parts = Object.values(option.properties ?? {});
    const [part] = parts;
    // The restrictions of all sources are the same: they are listed once.
    if (part?.properties !== undefined && parts.length > 1 && parts.every((other) => isDeepStrictEqual(other, part)))
      return rowsOf(part, `${path}.SOURCE.`);
    if (option.properties !== undefined) return rowsOf(option, `${path}.`);
    const row = [`\`${path}\``, typeText(option), defaultText(option.default), option.description ?? ""];
    const optional = option.anyOf?.find(({ properties }) => properties !== undefined);
    return [row, ...(optional === undefined ? [] : rowsOf(optional, `${path}.`))];
  });
}

function defaultText(value: unknown): string {
  if (value === undefined) return "";
  return `\`${typeof value === "string" && value !== "" ? value : JSON.stringify(value)}\``;
}

const typeWords: Readonly<Record<string, string>> = { integer: "whole number", boolean: "true, false", string: "text" };

function typeText(schema: JsonSchema): string {
  if (schema.title !== undefined) return schema.title;
  if (schema.enum !== undefined) return schema.enum.join(", ");
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeText))].join(" or ");
  if (schema.type === "array") return schema.items === undefined ? "list" : `list of ${typeText(schema.items)}`;
  if (schema.type === "object") {
    const { additionalProperties: values } = schema;
    const isMap = typeof values === "object" && Object.keys(values).length > 0;
    return isMap ? `object of ${typeText(values)}` : "object";
  }
  const { minimum, maximum } = schema;
  const word = [schema.type ?? "any"]
    .flat()
    .map((type) => typeWords[type] ?? type)
    .join(" or ");
  return minimum === undefined || maximum === undefined ? word : `${word} ${minimum} to ${maximum}`;
}

/**
 * The page with `text` between its markers `<!-- generated: NAME -->` and `<!-- end -->`.
 * @throws Error when the page has no such markers
 */
export function withGenerated(page: string, name: string, text: string): string {
  const begin = `<!-- generated: ${name} -->`;
  const from = page.indexOf(begin);
  const to = page.indexOf("<!-- end -->", from);
  if (from < 0 || to < 0) throw new Error(`The page has no markers ${begin} and <!-- end -->; add them.`);
  return `${page.slice(0, from + begin.length)}\n${text}\n${page.slice(to)}`;
}

/** What the command line may say about the configuration. */
export interface ConfigFlags {
  /** `--config`, relative to the working directory. */
  readonly config?: string;
  readonly manifests?: string;
  readonly runtime?: string;
  readonly rootDir?: string;
  readonly socket?: string;
  readonly nodeName?: string;
  readonly port?: number;
  /** Flags that set options of sources. */
  readonly sources?: readonly SourceFlag[];
}

/** For example `--queue-token FILE`: option `tokenFile` of `sources.queue`. */
interface SourceFlag {
  readonly flag: string;
  readonly source: string;
  readonly option: string;
  /** Relative to the working directory. */
  readonly file: string;
}

interface FlagRule {
  readonly flag: string;
  readonly path: readonly string[];
  /** Relative to the working directory, not to the rc file. */
  readonly isPath?: boolean;
}

const rules: Readonly<Record<Exclude<keyof ConfigFlags, "config" | "sources">, FlagRule>> = {
  manifests: { flag: "--manifests", path: ["sources", "manifests"], isPath: true },
  runtime: { flag: "--runtime", path: ["runtime"] },
  rootDir: { flag: "--root-dir", path: ["rootDir"], isPath: true },
  socket: { flag: "--socket", path: ["socket"], isPath: true },
  nodeName: { flag: "--node-name", path: ["node", "name"] },
  port: { flag: "--port", path: ["port"] },
};

/** The command line as a layer over the rc files; relative paths start at the working directory. */
export function flagLayer(flags: ConfigFlags, cwd: string): Layer {
  const raw: Record<string, unknown> = {};
  const used: FlagRule[] = [];
  for (const [name, rule] of Object.entries(rules)) {
    const value = flags[name as keyof typeof rules];
    if (value === undefined) continue;
    setAt(raw, rule.path, rule.isPath && typeof value === "string" ? resolve(cwd, value) : value);
    used.push(rule);
  }
  for (const { flag, source, option, file } of flags.sources ?? []) {
    const rule = { flag, path: ["sources", source, option] };
    setAt(raw, rule.path, resolve(cwd, file));
    used.push(rule);
  }
  const flagOf = (path: Path): FlagRule | undefined =>
    used.find(({ path: own }) => own.every((step, index) => path[index] === step));
  return {
    file: join(cwd, "hooklet.config.js"),
    raw,
    place: (path) => ({ file: flagOf(path)?.flag ?? "command line" }),
  };
}
