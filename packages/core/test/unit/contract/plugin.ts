import { z } from "zod";
import type { NodeContext, NodePlugin } from "../../../src/plugin/contract.js";
import type { LoadedPlugin } from "../../../src/plugin/loaded.js";

/** A plugin as the rc file would bring it, made of its `start` alone. */
export function plugin(name: string, start: (ctx: NodeContext) => ReturnType<NodePlugin["start"]>): LoadedPlugin {
  const made: NodePlugin = { meta: { name, api: 1 }, options: z.strictObject({}), start: (ctx) => start(ctx) };
  return { plugin: made, options: {}, specifier: name, origin: "test", file: name };
}

/** A manifest of one container, JSON. */
export function manifest(name: string, spec: object = {}): string {
  const containers = [{ name: "main", image: "app:1" }];
  return JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name }, spec: { containers, ...spec } });
}
