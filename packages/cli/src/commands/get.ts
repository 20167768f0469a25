import { invalid, notFound } from "@hooklet/core/base";
import type { AgentClient } from "../client/client.js";
import { type Context, withAgent } from "../context.js";
import { printLine } from "../io.js";
import { podName, singular } from "../pod-argument.js";
import { toText } from "../print/objects.js";
import { type ReadOptions, showEvents, showPods } from "../show.js";

/** A table of something, by the names under which people know it. */
interface Resource {
  readonly names: readonly string[];
  /** A plugin's view of this name is shown in its place. */
  readonly view?: string;
  data(client: AgentClient): Promise<unknown>;
  text(data: never, wide: boolean, now: number): Promise<string>;
}

const resources: readonly Resource[] = [
  {
    names: ["node", "nodes", "no"],
    data: (client) => client.node(),
    text: async (data, _wide, now) => (await import("../print/node.js")).nodeText(data, now),
  },
  {
    names: ["plugins", "plugin"],
    data: (client) => client.plugins(),
    text: async (data, wide) => (await import("../print/node.js")).pluginTable(data, wide),
  },
  {
    names: ["images", "image"],
    view: "images",
    data: (client) => client.images(),
    text: async (data, wide) => (await import("../print/views.js")).imageTable(data, wide),
  },
];

/** `hooklet get KIND [NAME...]`: pods, node, plugins, images, events, or a table that a plugin offers. */
export function get(context: Context, kind: string, names: readonly string[], options: ReadOptions): Promise<number> {
  return withAgent(context, async (client) => {
    const [what = kind, slashName] = kind.split("/");
    const wanted = slashName === undefined ? names : [slashName, ...names];
    if (singular(what) === "pod") return showPods(context, client, wanted.map(podName), options);
    if (wanted.length > 0)
      throw invalid(`get ${what}`, "no further names: only pods are got by name", wanted.join(" "));
    if (["events", "event", "ev"].includes(what)) return showEvents(context, client, options);
    const resource = resources.find((candidate) => candidate.names.includes(what));
    if (resource !== undefined && !(await hasView(client, resource))) {
      const data = await resource.data(client);
      const { output } = options;
      if (Array.isArray(data) && data.length === 0 && (output === undefined || output === "wide")) {
        await printLine(context.io.stderr, "No resources found");
        return 0;
      }
      const text =
        output === "json" || output === "yaml"
          ? await toText(data, output)
          : await resource.text(data as never, output === "wide", context.io.clock.now());
      await printLine(context.io.stdout, text);
      return 0;
    }
    return showView(context, client, resource?.view ?? what, options);
  });
}

async function hasView(client: AgentClient, { view }: Resource): Promise<boolean> {
  return view !== undefined && (await client.views()).some(({ name }) => name === view);
}

async function showView(context: Context, client: AgentClient, name: string, { output }: ReadOptions): Promise<number> {
  const known = (await client.views()).map((view) => view.name);
  if (!known.includes(name)) {
    throw notFound("resource", name, ["pods", "events", ...resources.flatMap(({ names }) => names[0] ?? []), ...known]);
  }
  const { columns, rows } = await client.view(name);
  if (output === "json" || output === "yaml") {
    await printLine(context.io.stdout, await toText(rows, output));
  } else if (rows.length === 0) {
    await printLine(context.io.stderr, "No resources found");
  } else {
    const { viewTable } = await import("../print/views.js");
    await printLine(context.io.stdout, viewTable(columns, rows, output === "wide"));
  }
  return 0;
}
