/** Checks what `start` returned, since JavaScript plugins may return anything, and words the error of a plugin that threw. */
import { isRecord } from "@hooklet/manifest";
import { errorText, foundText, isNodeAgentError, type NodeAgentError, pluginStart } from "@hooklet/utils";
import type { HealthPart, PluginInstance, View, ViewRow } from "./contract.js";

export interface HealthReport {
  readonly ok: boolean;
  readonly parts: readonly (HealthPart & { readonly name: string })[];
}

const methods = ["open", "plan", "explain", "health", "stop"] as const;
const VIEW_NAME = /^[a-z][a-z0-9-]{0,62}$/;

/** @throws NodeAgentError PLUGIN_START telling what is wrong */
export function checkInstance(plugin: string, returned: unknown): PluginInstance {
  if (returned === undefined) return {};
  const fault = (expected: string, found: unknown) =>
    pluginStart(plugin, `its start returned what cannot be used: expected ${expected}, found ${foundText(found)}.`);
  if (typeof returned !== "object" || returned === null) throw fault("an instance or nothing", returned);
  const instance = returned as PluginInstance;
  for (const method of methods) {
    const value: unknown = instance[method];
    if (value !== undefined && typeof value !== "function") throw fault(`${method} to be a function`, value);
  }
  const views: unknown = instance.views ?? {};
  if (typeof views !== "object" || views === null) throw fault("views as an object", views);
  for (const [name, view] of Object.entries(views as Record<string, Partial<View> | null>)) {
    if (!VIEW_NAME.test(name)) throw fault("view names of lower-case letters, digits and -", name);
    if (typeof view?.rows !== "function" || !Array.isArray(view.columns)) {
      throw fault(`view ${name} with columns and a function rows()`, view);
    }
  }
  return instance;
}

/** The rows of a view. @throws Error when they are none */
export function checkRows(rows: unknown): readonly ViewRow[] {
  if (!Array.isArray(rows) || !rows.every((row: unknown) => isRecord(row)))
    throw new Error(`expected a list of rows, found ${foundText(rows)}`);
  return rows as readonly ViewRow[];
}

/** The health that a plugin tells; one that cannot tell is not well. */
export function healthOf(instance: PluginInstance): HealthPart {
  try {
    const health: unknown = instance.health?.();
    if (health === undefined && instance.health === undefined) return { ok: true };
    if (typeof health === "object" && health !== null && "ok" in health && typeof health.ok === "boolean") {
      const message = "message" in health && typeof health.message === "string" ? { message: health.message } : {};
      return { ok: health.ok, ...message };
    }
    return { ok: false, message: `health() returned ${foundText(health)} instead of {ok, message}` };
  } catch (error) {
    return { ok: false, message: `health() failed: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** PLUGIN_START, naming the plugin and where it failed. @param file what it came from, where that is known */
export function startFault(plugin: string, error: unknown, file?: string): NodeAgentError {
  if (isNodeAgentError(error, "PLUGIN_START")) return error;
  return pluginStart(plugin, `${errorText(error)}${placeText(error, file)}`, error);
}

/** The line of the plugin's file that threw, else the file. */
function placeText(error: unknown, file: string | undefined): string {
  if (file === undefined) return "";
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const at = stack.indexOf(file);
  const place = at === -1 ? "" : (/^:\d+:\d+/.exec(stack.slice(at + file.length))?.[0] ?? "");
  return ` (${file}${place})`;
}
