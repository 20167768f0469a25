/**
 * The errors that hooklet itself raises: a code, what happened, what was expected and found, what to do. What several files may
 * raise has one function here, so that the wording is reviewed in one file (test/errors.test.ts prints them all). What a file
 * alone can tell it words itself, by `new NodeAgentError`: files of the state and their lock, a claim of two owners, and bad input
 * of which `invalid(where, expected, found)` does not say enough. Pure.
 */
import { didYouMean, errorText, nearest } from "@hooklet/manifest/words";
import { withoutPasswords } from "./lib/redact.js";

export { errorText };
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
  "KILL_TIMEOUT",
  "AGENT_STOPPING",
  "CANNOT_LISTEN",
  "BUSY",
  "INVALID",
];
export class NodeAgentError extends Error {
  name = "NodeAgentError";
  code;
  plugin;
  hook;
  constructor(code, message, where = {}) {
    super(message, where.cause === undefined ? undefined : { cause: where.cause });
    this.code = code;
    if (where.plugin !== undefined) this.plugin = where.plugin;
    if (where.hook !== undefined) this.hook = where.hook;
  }
}
/** By its code, not its class: two copies of core may be loaded in one process. */
export function isNodeAgentError(error, code) {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return code === undefined ? nodeAgentErrorCodes.includes(error.code) : error.code === code;
}
function tapText({ plugin, hook, tap }) {
  return `Plugin "${plugin}"${tap === plugin ? "" : ` (tap "${tap}")`} in hook ${hook}`;
}
export function tapFailed(place, cause) {
  return new NodeAgentError("TAP_FAILED", `${tapText(place)} failed: ${errorText(cause)}`, { ...place, cause });
}
export function tapTimeout(place, seconds) {
  return new NodeAgentError(
    "TAP_TIMEOUT",
    `${tapText(place)} did not settle: expected within ${seconds} s, still busy. ` +
      "Heed event.signal, or ask for a longer deadlineSeconds at the tap.",
    place,
  );
}
export function tapOutput(place, expected, found) {
  return new NodeAgentError(
    "TAP_OUTPUT",
    `${tapText(place)} returned what this hook cannot use: expected ${expected}, found ${found}.`,
    place,
  );
}
/** Two owners want one field of a container or sandbox: `first` has it, `second` is refused. */
export class ClaimConflictError extends NodeAgentError {
  field;
  first;
  second;
  constructor(
    /** for example `env FOO`, `mount /data`, `cgroup file memory.high`. */
    field,
    first,
    second,
    of = "container",
  ) {
    super(
      "CLAIM_CONFLICT",
      `Two owners claim ${field} of one ${of}: ${first} has set it, ${second} sets it again. ` +
        "Switch one of them off, or change what it sets.",
    );
    this.field = field;
    this.first = first;
    this.second = second;
  }
}
/** A start that threw, hung, or broke the contract; everything that had been started was stopped again. */
export function pluginStart(plugin, what, cause) {
  return new NodeAgentError("PLUGIN_START", `Plugin "${plugin}" could not be started: ${what}`, { plugin, cause });
}
export function pluginStop(plugin, what, cause) {
  return new NodeAgentError("PLUGIN_STOP", `Plugin "${plugin}" did not stop cleanly: ${what}`, { plugin, cause });
}
/** Somebody whom the agent asked and who is still busy with it. `who` and `what`: for example `Source kube`, `did not stop`. */
export function tookTooLong(code, who, what, seconds) {
  return new NodeAgentError(code, `${who} ${what}: expected within ${seconds} s, still busy.`);
}
/** A plugin that runs and does not answer a person in time. */
export function pluginTimeout(plugin, step, seconds) {
  const text = `Plugin "${plugin}" did not finish its ${step}: expected within ${seconds} s, still busy. It runs on; ask again later.`;
  return new NodeAgentError("PLUGIN_TIMEOUT", text, { plugin });
}
/** The machine did not do or tell in time what the agent asked of it. `what`: a sentence without its full stop. */
export function hostUnavailable(what, where = {}) {
  return new NodeAgentError("HOST_UNAVAILABLE", `${what}.`, where);
}
/** For example `view`, "prob". `known`: all names of that kind. `where` they are: for example `in pod web`. */
export function notFound(kind, name, known, where = "") {
  const names = [...known];
  const near = didYouMean(nearest(name, names));
  const list = names.length === 0 ? "there is none" : `known are ${[...names].sort().slice(0, 50).join(", ")}`;
  return new NodeAgentError("NOT_FOUND", `No ${kind} "${name}"${where && ` ${where}`}; ${list}.${near}`);
}
/** Nobody answers on a control socket. `why`: for example `nobody listens on it`. */
export function agentNotRunning(socket, why, cause) {
  return new NodeAgentError(
    "AGENT_NOT_RUNNING",
    `No agent answers on ${socket} (${why}): start one with "hooklet run", or name its socket with --socket or HOOKLET_SOCKET.`,
    { cause },
  );
}
/** `folders`: of each copy of core that this process has loaded. */
export function severalCores(folders) {
  return new NodeAgentError(
    "SEVERAL_CORES",
    `@hooklet/core is loaded ${folders.length} times: expected one copy in the process, found ${folders.join(" and ")}. ` +
      "Let plugins have it as a peer dependency, and install them beside hooklet (npm ls @hooklet/core tells who brings which).",
  );
}
/** Somebody asked to evict a pod that the kubelet's rules protect. `pod`: namespace/name. */
export function evictionRefused(pod, why) {
  return new NodeAgentError("EVICTION_REFUSED", `Pod ${pod} is not evicted: ${why}. Choose another pod.`);
}
/** A pod whose containers did not end in time, in the kubelet's words; the kill goes on. */
export function killTimeout() {
  return new NodeAgentError("KILL_TIMEOUT", "timeout waiting to kill pod");
}
/** What is under way is given up because the agent goes; the pods run on. */
export function agentStopping() {
  return new NodeAgentError("AGENT_STOPPING", "the agent stops");
}
/** `what`: for example `container main of pod web`. */
export function notRunning(what) {
  return new NodeAgentError("NOT_RUNNING", `${what} is not running. "hooklet get pods" shows what does.`);
}
/** Something that this runtime or machine cannot do. `instead`: what to do in its place. */
export function unsupported(what, instead) {
  return new NodeAgentError("UNSUPPORTED", `${what}. ${instead}`);
}
/** A socket or port that is taken or not allowed. `instead`: what to choose in its place. */
export function cannotListen(where, why, instead, cause) {
  return new NodeAgentError("CANNOT_LISTEN", `Cannot listen on ${where}: ${why}. ${instead}`, { cause });
}
/** A value from outside that cannot be used. */
export function invalid(where, expected, found) {
  return new NodeAgentError("INVALID", `${where}: expected ${expected}, found ${foundText(found)}.`);
}
/** A value as an error shows it: JSON, cut at 80 characters. */
export function foundText(found) {
  if (found === undefined) return "nothing";
  if (typeof found === "function") return "a function";
  if (typeof found === "bigint" || typeof found === "symbol" || typeof found === "number") return String(found);
  let text;
  try {
    text = JSON.stringify(found) ?? typeof found;
  } catch {
    text = `an object that is not JSON (${Object.prototype.toString.call(found)})`;
  }
  text = withoutPasswords(text);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
