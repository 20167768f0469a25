import type { ApiObject } from "@hooklet/core/subsystem";
import { invalid, notFound } from "@hooklet/utils";
import type { AgentClient } from "../client/agent-client.js";
import { type Context, withAgent } from "../context.js";
import { singular } from "../pod-argument.js";
import { outputFormat } from "../print/output-format.js";
import { type Kind, showAll } from "../show.js";
import { getEvents } from "./get/get-events.js";
import { getPods } from "./get/get-pods.js";
import { type GetOptions, type Resource, resources } from "./get/resources.js";

/** `hooklet get KIND [NAME...]`: pods, node, plugins, images, events, or a table that a plugin offers. */
export function get(context: Context, kind: string, names: readonly string[], options: GetOptions): Promise<number> {
  return withAgent(context, async (client) => {
    if (kind.includes(",")) throw invalid("get", "one kind at a time", kind);
    const [what = kind, slashName] = kind.split("/");
    const wanted = slashName === undefined ? names : [slashName, ...names];
    if (singular(what) === "pod") return getPods(context, client, wanted, options);
    if (["events", "event", "ev"].includes(what)) {
      if (wanted.length > 0) throw invalid(`get ${what}`, "no further names", wanted.join(" "));
      return getEvents(context, client, options);
    }
    for (const option of ["watch", "selector", "fieldSelector"] as const)
      if (options[option]) throw invalid(`get ${what}`, `no --${dashed(option)}: it is for pods`, options[option]);
    const { kind: shown } = outputFormat(options.output);
    const asObject = shown !== "table" && shown !== "name";
    const object = OBJECTS[singular(what)];
    if (object !== undefined && asObject) return getObjects(context, client, { object, wanted }, options);
    const resource = resources.find((candidate) => candidate.names.includes(what));
    const views = resource !== undefined && resource.view === undefined ? [] : await client.views();
    if (resource === undefined || views.some(({ name }) => name === resource.view))
      return getView(context, client, { name: resource?.view ?? what, wanted, views }, options);
    return show(context, await listed(resource, client, context, { wanted, asObject }), options);
  });
}

function dashed(option: string): string {
  return option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

type ObjectKind = ApiObject["kind"];

interface Listed<T> {
  readonly kind: Kind<T>;
  readonly items: readonly T[];
  readonly single: boolean;
}

async function listed<T>(
  { list, kind, nameOf, names, isOne }: Resource<T>,
  client: AgentClient,
  { io }: Context,
  { wanted, asObject }: { readonly wanted: readonly string[]; readonly asObject: boolean },
): Promise<Listed<T>> {
  const items = await list(client, io.clock.now(), asObject);
  const single = wanted.length === 1 || isOne === true;
  return { kind: kind(io.clock.now()), items: chosen(items, wanted, nameOf, names[0] ?? ""), single };
}

/** Kinds that a manifest may hold beside pods; the plugin's table names their keys alone. */
const OBJECTS: Readonly<Record<string, ObjectKind>> = { configmap: "ConfigMap", secret: "Secret" };

/** As manifests that can be applied again. */
async function getObjects(
  context: Context,
  client: AgentClient,
  { object, wanted }: { readonly object: ObjectKind; readonly wanted: readonly string[] },
  options: GetOptions,
): Promise<number> {
  const { namespace } = options;
  const all = await client.objects(object);
  const items = all.filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace);
  const nameOf = ({ metadata }: ApiObject): string => metadata.name;
  const kind: Kind<ApiObject> = {
    name: (item) => `${object.toLowerCase()}/${nameOf(item)}`,
    object: (item) => item,
    // Formats that are tables of their own columns.
    rows: (some) => ({ head: ["NAME"], rows: some.map((item) => [nameOf(item)]) }),
  };
  return show(context, { kind, items: chosen(items, wanted, nameOf, object), single: wanted.length === 1 }, options);
}

/** As kubectl has them; the singular is taken as well. */
const SHORT_NAMES: Readonly<Record<string, string>> = { cm: "configmaps" };

async function getView(
  context: Context,
  client: AgentClient,
  {
    name: said,
    wanted,
    views,
  }: { name: string; wanted: readonly string[]; views: readonly { readonly name: string }[] },
  options: GetOptions,
): Promise<number> {
  const known = views.map((view) => view.name);
  const name = [said, `${said}s`, SHORT_NAMES[said]].find((one) => one !== undefined && known.includes(one)) ?? said;
  if (!known.includes(name)) {
    const all = ["pods", "events", ...resources.flatMap(({ names }) => names[0] ?? []), ...known];
    throw notFound("resource", name, [...new Set(all)]);
  }
  const { columns, rows: all } = await client.view(name);
  const { namespace } = options;
  const rows = namespace === undefined ? all : all.filter((row) => (row.namespace ?? namespace) === namespace);
  const { viewRows } = await import("../print/node-text.js");
  const first = (columns.find((column) => column.name === "name") ?? columns[0])?.name ?? "name";
  const nameOf = (row: (typeof rows)[number]): string => String(row[first] ?? "");
  const kind: Kind<(typeof rows)[number]> = {
    name: (row) => `${singular(name)}/${nameOf(row)}`,
    object: (row) => row,
    rows: (some, wide) => viewRows(columns, some, wide),
    list: (some) => some,
  };
  return show(
    context,
    { kind, items: chosen(rows, wanted, nameOf, singular(name)), single: wanted.length === 1 },
    options,
  );
}

/** The named ones, or all. @throws NodeAgentError NOT_FOUND with the nearest names */
function chosen<T>(
  items: readonly T[],
  wanted: readonly string[],
  nameOf: (item: T) => string,
  what: string,
): readonly T[] {
  const missing = wanted.find((name) => !items.some((item) => nameOf(item) === name));
  if (missing !== undefined) throw notFound(what, missing, items.map(nameOf));
  return wanted.length === 0 ? items : items.filter((item) => wanted.includes(nameOf(item)));
}

async function show<T>(context: Context, { kind, items, single }: Listed<T>, options: GetOptions): Promise<number> {
  const how = { format: outputFormat(options.output), headers: options.headers !== false, single };
  await showAll(context, kind, items, { ...how, nothing: "No resources found" });
  return 0;
}
