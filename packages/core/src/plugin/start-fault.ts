/** How a plugin that cannot be started is told of. Pure. */
import { errorText, isNodeAgentError, type NodeAgentError, pluginStart } from "../errors.js";

/** PLUGIN_START, naming the plugin and where it failed. @param file what it came from, where that is known */
export function startFault(plugin: string, error: unknown, file?: string): NodeAgentError {
  if (isNodeAgentError(error, "PLUGIN_START")) return error;
  return pluginStart(plugin, `${errorText(error)}${placeText(error, file)}${hooksText(error)}`, error);
}

/** The line of the plugin's file that threw, else the file. */
function placeText(error: unknown, file: string | undefined): string {
  if (file === undefined) return "";
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const at = stack.indexOf(file);
  const place = at === -1 ? "" : (/^:\d+:\d+/.exec(stack.slice(at + file.length))?.[0] ?? "");
  return ` (${file}${place})`;
}

/** A hook that there is not. */
function hooksText(error: unknown): string {
  const isUnknownHook =
    error instanceof TypeError && /reading 'tap'|\.tap is not a function|hooks\.\w+ is not/.test(error.message);
  return isUnknownHook ? ". The hooks are podAdmit, containerStart, podTerminate and tick(SECONDS)" : "";
}
