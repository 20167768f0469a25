/**
 * The errors of hooklet: a code, what happened, what was expected and found, what to do. Errors raised by several files have
 * one function here, so that the wording is reviewed in one file (test/errors.test.ts prints them all). Errors of a single
 * file are worded there, with `new NodeAgentError`: state files and their lock, claim conflicts, and bad input for which
 * `invalid(where, expected, found)` is not enough. Pure.
 */

import { boundedText, didYouMean, errorText, nearest } from "@hooklet/manifest/messages";
import { thrownText, withoutPasswords } from "./thrown-text.js";

export { boundedText, errorText };

/** What each means stands in this package's README. */
export const nodeAgentErrorCodes = [
  "TAP_FAILED",
  "TAP_TIMEOUT",
  "TAP_OUTPUT",
  "CLAIM_CONFLICT",
  "CONFIG_FAULTS",
  "PLUGIN_START",
  "PLUGIN_STOP",
  "PLUGIN_TIMEOUT",
  "PROVIDER_TIMEOUT",
  "PROVIDER_OUTPUT",
  "SOURCE_TIMEOUT",
  "ROOT_DIR_LOCKED",
  "STATE_UNREADABLE",
  "STATE_UNWRITABLE",
  "AGENT_NOT_RUNNING",
  "HOST_UNAVAILABLE",
  "SEVERAL_CORES",
  "NOT_FOUND",
  "NOT_RUNNING",
  "UNSUPPORTED",
  "EVICTION_REFUSED",
  "DELETION_REFUSED",
  "KILL_TIMEOUT",
  "AGENT_STOPPING",
  "CANNOT_LISTEN",
  "BUSY",
  "INVALID",
] as const;

export type NodeAgentErrorCode = (typeof nodeAgentErrorCodes)[number];

export class NodeAgentError extends Error {
  override readonly name: string = "NodeAgentError";
  readonly code: NodeAgentErrorCode;
  readonly plugin?: string;
  readonly hook?: string;

  constructor(
    code: NodeAgentErrorCode,
    message: string,
    where: { plugin?: string; hook?: string; cause?: unknown } = {},
  ) {
    super(message, where.cause === undefined ? undefined : { cause: where.cause });
    this.code = code;
    if (where.plugin !== undefined) this.plugin = where.plugin;
    if (where.hook !== undefined) this.hook = where.hook;
  }
}

/** By its code, not its class: two copies of core may be loaded in one process. */
export function isNodeAgentError(error: unknown, code?: NodeAgentErrorCode): error is NodeAgentError {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return code === undefined ? (nodeAgentErrorCodes as readonly unknown[]).includes(error.code) : error.code === code;
}

/** Where a tap was called: plugin, hook, and the tap's own name where its plugin taps the hook more than once. */
export interface TapPlace {
  readonly plugin: string;
  readonly hook: string;
  readonly tap: string;
}

function tapText({ plugin, hook, tap }: TapPlace): string {
  return `Plugin "${plugin}"${tap === plugin ? "" : ` (tap "${tap}")`} in hook ${hook}`;
}

export function tapFailed(place: TapPlace, cause: unknown): NodeAgentError {
  return new NodeAgentError("TAP_FAILED", `${tapText(place)} failed: ${thrownText(cause)}`, { ...place, cause });
}

export function tapTimeout(place: TapPlace, seconds: number): NodeAgentError {
  return new NodeAgentError(
    "TAP_TIMEOUT",
    `${tapText(place)} did not settle: expected within ${seconds} s, still busy. ` +
      "Heed the signal of the tap's last argument (event.signal), or ask for a longer deadlineSeconds at the tap.",
    place,
  );
}

export function tapOutput(place: TapPlace, expected: string, found: string): NodeAgentError {
  return new NodeAgentError(
    "TAP_OUTPUT",
    `${tapText(place)} returned what this hook cannot use: expected ${expected}, found ${found}.`,
    place,
  );
}

/** Two owners want one field of a container or sandbox: `first` has it, `second` is refused. */
export class ClaimConflictError extends NodeAgentError {
  constructor(
    /** for example `env FOO`, `mount /data`, `cgroup file memory.high`. */
    readonly field: string,
    readonly first: string,
    readonly second: string,
    of: "container" | "sandbox" = "container",
  ) {
    super(
      "CLAIM_CONFLICT",
      `Two owners claim ${field} of one ${of}: ${first} has set it, ${second} sets it again. ` +
        "Switch one of them off, or change what it sets.",
    );
  }
}

/** A start that threw, hung, or broke the contract; everything that had been started was stopped again. */
export function pluginStart(plugin: string, what: string, cause?: unknown): NodeAgentError {
  return new NodeAgentError("PLUGIN_START", `Plugin "${plugin}" could not be started: ${what}`, { plugin, cause });
}

/** What core reads once, before the first pod. */
export function afterStart(plugin: string, call: string): NodeAgentError {
  const text = `Plugin "${plugin}" called ${call} after its start. Call it in start() only.`;
  return new NodeAgentError("PLUGIN_START", text, { plugin });
}

export function pluginStop(plugin: string, what: string, cause?: unknown): NodeAgentError {
  return new NodeAgentError("PLUGIN_STOP", `Plugin "${plugin}" did not stop cleanly: ${what}`, { plugin, cause });
}

/** A callee that is still busy after its deadline. `who` and `what`: for example `Source kube`, `did not stop`; `now`: what is done about it. */
export function tookTooLong(
  code: "PROVIDER_TIMEOUT" | "SOURCE_TIMEOUT",
  who: string,
  what: string,
  seconds: number,
  now = "still busy",
): NodeAgentError {
  return new NodeAgentError(code, `${who} ${what}: expected within ${seconds} s, ${now}.`);
}

/** An unusable result of a provider. `who`: for example `The provider of volume data`. */
export function providerOutput(who: string, expected: string, found: unknown): NodeAgentError {
  const text = `${who} answered with what cannot be used: expected ${expected}, found ${foundText(found)}.`;
  return new NodeAgentError("PROVIDER_OUTPUT", text);
}

/** A plugin that runs and does not answer a person in time. */
export function pluginTimeout(plugin: string, step: "view" | "plan" | "explain", seconds: number): NodeAgentError {
  const text = `Plugin "${plugin}" did not finish its ${step}: expected within ${seconds} s, still busy. It runs on; ask again later.`;
  return new NodeAgentError("PLUGIN_TIMEOUT", text, { plugin });
}

/** The machine failed, or did not answer in time. `what`: a sentence without its full stop. */
export function hostUnavailable(what: string, where: { plugin?: string; cause?: unknown } = {}): NodeAgentError {
  return new NodeAgentError("HOST_UNAVAILABLE", `${what}.`, where);
}

/** Names in a message for people. */
const LISTED = 12;

/** For example `view`, "prob". `known`: all names of that kind. `where` they are: for example `in pod web`. */
export function notFound(kind: string, name: string, known: Iterable<string>, where = ""): NodeAgentError {
  const names = [...known].sort();
  const what = `No ${kind} "${name}"${where && ` ${where}`}`;
  const near = didYouMean(nearest(name, names));
  if (near !== "") return new NodeAgentError("NOT_FOUND", `${what}.${near}`);
  const more = names.length > LISTED ? ` and ${names.length - LISTED} more` : "";
  const list = names.length === 0 ? "there is none" : `known are ${names.slice(0, LISTED).join(", ")}${more}`;
  return new NodeAgentError("NOT_FOUND", `${what}; ${list}.`);
}

/** A control socket without an answer. `why`: for example `no process listens on it`. */
export function agentNotRunning(socket: string, why: string, cause?: unknown): NodeAgentError {
  return new NodeAgentError(
    "AGENT_NOT_RUNNING",
    `No agent answers on ${socket} (${why}): start one with "hooklet run", or name its root dir with --root-dir, or its socket with --socket or HOOKLET_SOCKET.`,
    { cause },
  );
}

/** `folders`: of each copy of core that this process has loaded. */
export function severalCores(folders: readonly string[]): NodeAgentError {
  return new NodeAgentError(
    "SEVERAL_CORES",
    `@hooklet/core is loaded ${folders.length} times: expected one copy in the process, found ${folders.join(" and ")}. ` +
      "Let plugins have it as a peer dependency, and install them beside hooklet (npm ls @hooklet/core tells who brings which).",
  );
}

/** An eviction of a pod that the kubelet's rules protect. `pod`: namespace/name. */
export function evictionRefused(pod: string, why: string): NodeAgentError {
  return new NodeAgentError("EVICTION_REFUSED", `Pod ${pod} is not evicted: ${why}. Choose another pod.`);
}

/** A deletion of a pod that another source wants. `pod`: namespace/name. */
export function deletionRefused(pod: string, source: string | undefined, place?: string): NodeAgentError {
  return new NodeAgentError(
    "DELETION_REFUSED",
    place === undefined
      ? `pod ${pod} comes from source "${source}" and cannot be deleted here: remove its manifest there.`
      : `pod ${pod} comes from ${place} and cannot be deleted here: remove it there. To restart it: hooklet restart pod.`,
  );
}

/** Containers of a pod did not end in time, with the kubelet's message; the kill continues. */
export function killTimeout(): NodeAgentError {
  return new NodeAgentError("KILL_TIMEOUT", "timeout waiting to kill pod");
}

/** What is under way is given up because the agent goes; the pods run on. */
export function agentStopping(): NodeAgentError {
  return new NodeAgentError("AGENT_STOPPING", "the agent stops");
}

/** A manifest that comes while the agent stops all pods, and would run at its next start only. */
export function applyRefused(): NodeAgentError {
  const text = "The agent stops its pods and ends: apply the manifest once it runs again.";
  return new NodeAgentError("AGENT_STOPPING", text);
}

/** `what`: for example `container main of pod web`. */
export function notRunning(what: string): NodeAgentError {
  return new NodeAgentError("NOT_RUNNING", `${what} is not running. "hooklet get pods" shows what does.`);
}

/** Something that this runtime or machine cannot do. `instead`: what to do in its place. */
export function unsupported(what: string, instead: string): NodeAgentError {
  return new NodeAgentError("UNSUPPORTED", `${what}. ${instead}`);
}

/** A socket or port that is taken or not allowed. `instead`: what to choose in its place. */
export function cannotListen(where: string, why: string, instead: string, cause?: unknown): NodeAgentError {
  return new NodeAgentError("CANNOT_LISTEN", `Cannot listen on ${where}: ${why}. ${instead}`, { cause });
}

/** A value from outside that cannot be used. */
export function invalid(where: string, expected: string, found: unknown): NodeAgentError {
  return new NodeAgentError("INVALID", `${where}: expected ${expected}, found ${foundText(found)}.`);
}

/** A value as an error shows it: JSON, cut at 80 characters. */
export function foundText(found: unknown): string {
  if (found === undefined) return "nothing";
  if (typeof found === "function") return "a function";
  if (typeof found === "bigint" || typeof found === "symbol" || typeof found === "number") return String(found);
  let text: string;
  try {
    text = JSON.stringify(found) ?? typeof found;
  } catch {
    text = `an object that is not JSON (${Object.prototype.toString.call(found)})`;
  }
  text = withoutPasswords(text);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
