/**
 * The errors that hooklet itself raises: a code, what happened, what was expected and found, what to do. What several files may
 * raise has one function here, so that the wording is reviewed in one file (test/errors.test.ts prints them all). What a file
 * alone can tell it words itself, by `new NodeAgentError`: files of the state and their lock, a claim of two owners, and bad input
 * of which `invalid(where, expected, found)` does not say enough. Pure.
 */
import { errorText } from "@hooklet/manifest/words";

export { errorText };
/** What each means stands in this package's README. */
export declare const nodeAgentErrorCodes: readonly [
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
export type NodeAgentErrorCode = (typeof nodeAgentErrorCodes)[number];
export declare class NodeAgentError extends Error {
  readonly name: string;
  readonly code: NodeAgentErrorCode;
  readonly plugin?: string;
  readonly hook?: string;
  constructor(
    code: NodeAgentErrorCode,
    message: string,
    where?: {
      plugin?: string;
      hook?: string;
      cause?: unknown;
    },
  );
}
/** By its code, not its class: two copies of core may be loaded in one process. */
export declare function isNodeAgentError(error: unknown, code?: NodeAgentErrorCode): error is NodeAgentError;
/** Where a tap was called: plugin, hook, and the tap's own name where its plugin taps the hook more than once. */
export interface TapPlace {
  readonly plugin: string;
  readonly hook: string;
  readonly tap: string;
}
export declare function tapFailed(place: TapPlace, cause: unknown): NodeAgentError;
export declare function tapTimeout(place: TapPlace, seconds: number): NodeAgentError;
export declare function tapOutput(place: TapPlace, expected: string, found: string): NodeAgentError;
/** Two owners want one field of a container or sandbox: `first` has it, `second` is refused. */
export declare class ClaimConflictError extends NodeAgentError {
  /** for example `env FOO`, `mount /data`, `cgroup file memory.high`. */
  readonly field: string;
  readonly first: string;
  readonly second: string;
  constructor(
    /** for example `env FOO`, `mount /data`, `cgroup file memory.high`. */
    field: string,
    first: string,
    second: string,
    of?: "container" | "sandbox",
  );
}
/** A start that threw, hung, or broke the contract; everything that had been started was stopped again. */
export declare function pluginStart(plugin: string, what: string, cause?: unknown): NodeAgentError;
export declare function pluginStop(plugin: string, what: string, cause?: unknown): NodeAgentError;
/** Somebody whom the agent asked and who is still busy with it. `who` and `what`: for example `Source kube`, `did not stop`. */
export declare function tookTooLong(
  code: "PROVIDER_TIMEOUT" | "SOURCE_TIMEOUT",
  who: string,
  what: string,
  seconds: number,
): NodeAgentError;
/** A plugin that runs and does not answer a person in time. */
export declare function pluginTimeout(
  plugin: string,
  step: "view" | "plan" | "explain",
  seconds: number,
): NodeAgentError;
/** The machine did not do or tell in time what the agent asked of it. `what`: a sentence without its full stop. */
export declare function hostUnavailable(
  what: string,
  where?: {
    plugin?: string;
    cause?: unknown;
  },
): NodeAgentError;
/** For example `view`, "prob". `known`: all names of that kind. `where` they are: for example `in pod web`. */
export declare function notFound(kind: string, name: string, known: Iterable<string>, where?: string): NodeAgentError;
/** Nobody answers on a control socket. `why`: for example `nobody listens on it`. */
export declare function agentNotRunning(socket: string, why: string, cause?: unknown): NodeAgentError;
/** `folders`: of each copy of core that this process has loaded. */
export declare function severalCores(folders: readonly string[]): NodeAgentError;
/** Somebody asked to evict a pod that the kubelet's rules protect. `pod`: namespace/name. */
export declare function evictionRefused(pod: string, why: string): NodeAgentError;
/** A pod whose containers did not end in time, in the kubelet's words; the kill goes on. */
export declare function killTimeout(): NodeAgentError;
/** What is under way is given up because the agent goes; the pods run on. */
export declare function agentStopping(): NodeAgentError;
/** `what`: for example `container main of pod web`. */
export declare function notRunning(what: string): NodeAgentError;
/** Something that this runtime or machine cannot do. `instead`: what to do in its place. */
export declare function unsupported(what: string, instead: string): NodeAgentError;
/** A socket or port that is taken or not allowed. `instead`: what to choose in its place. */
export declare function cannotListen(where: string, why: string, instead: string, cause?: unknown): NodeAgentError;
/** A value from outside that cannot be used. */
export declare function invalid(where: string, expected: string, found: unknown): NodeAgentError;
/** A value as an error shows it: JSON, cut at 80 characters. */
export declare function foundText(found: unknown): string;
