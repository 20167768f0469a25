import { didYouMean, namespacedName, nearest, type Pod } from "@hooklet/manifest";
import { invalid, isNodeAgentError, NodeAgentError } from "@hooklet/utils";
import type { AgentClient } from "../client/agent-client.js";
import { type Context, withAgent } from "../context.js";
import { type Io, printLine, tell } from "../io.js";
import { podName, singular } from "../pod-argument.js";
import { millisecondsOf } from "../print/amounts.js";
import { valuesOf, valueText } from "../print/jsonpath/evaluate.js";
import { parsePath } from "../print/jsonpath/parse.js";
import { podObject } from "../print/object-text.js";
import { parseSelector } from "../selector.js";

export interface WaitOptions {
  readonly for: string;
  readonly namespace?: string;
  readonly selector?: string;
  readonly all?: boolean;
  readonly timeout: string;
}

/** `hooklet wait --for condition=Ready pod/web`: ends with 0 once it holds for every pod that is meant, with 1 after the timeout. */
export function wait(context: Context, words: readonly string[], options: WaitOptions): Promise<number> {
  return withAgent(context, async (client) => {
    const { io } = context;
    const goal = parseGoal(options.for);
    const timeout = millisecondsOf(options.timeout, "--timeout");
    // Before the watch, which tells of them one by one: who is missing is not there.
    const listed = await client.pods();
    const waiting = await meant(client, io, listed, words, options, goal);
    const over = new AbortController();
    const timer = io.clock.schedule(timeout, () => over.abort());
    try {
      const pods = new Map(listed.map((pod) => [keyOf(pod), pod]));
      await tick(context, waiting, pods, goal);
      if (waiting.size === 0) return 0;
      for await (const { type, object } of client.watchPods(over.signal)) {
        if (type === "DELETED") pods.delete(keyOf(object));
        else pods.set(keyOf(object), object);
        await tick(context, waiting, pods, goal);
        if (waiting.size === 0) return 0;
      }
    } finally {
      timer.cancel();
      over.abort();
    }
    const last = new Map((await client.pods()).map((pod) => [keyOf(pod), pod]));
    for (const key of waiting) {
      const unknown = unknownCondition(goal, last.get(key));
      await tell(io, `error: timed out waiting for ${options.for} on pods/${nameOf(key)}${unknown}`);
    }
    return 1;
  });
}

/** A name that is no condition of the pod has most likely a typo. */
function unknownCondition({ condition }: Goal, pod: Pod | undefined): string {
  const there = pod?.status?.conditions?.map(({ type }) => type) ?? [];
  if (condition === undefined || there.length === 0) return "";
  if (there.some((type) => type.toLowerCase() === condition.toLowerCase())) return "";
  return `: it has no condition ${condition}; it has ${there.join(", ")}.${didYouMean(nearest(condition, there))}`;
}

function keyOf({ metadata }: Pod): string {
  return namespacedName(metadata);
}

function nameOf(key: string): string {
  return key.slice(key.indexOf("/") + 1);
}

/** Removes those that meet the condition. */
async function tick(context: Context, waiting: Set<string>, pods: ReadonlyMap<string, Pod>, goal: Goal): Promise<void> {
  for (const key of waiting) {
    if (!goal.holds(pods.get(key))) continue;
    waiting.delete(key);
    await printLine(context.io.stdout, `pod/${nameOf(key)} ${goal.done}`);
  }
}

async function meant(
  client: AgentClient,
  io: Io,
  listed: readonly Pod[],
  words: readonly string[],
  { namespace = "default", selector, all = false }: WaitOptions,
  goal: Goal,
): Promise<Set<string>> {
  const [first = ""] = words;
  const named = !first.includes("/") && singular(first) === "pod" ? words.slice(1) : words;
  if (named.length === 0 && selector === undefined && !all)
    throw invalid("wait", "pod NAME, pod/NAME, --selector or --all", words.join(" ") || undefined);
  if (named.length === 0) {
    const isMeant = parseSelector(selector ?? "");
    const pods = listed.filter(({ metadata }) => metadata.namespace === namespace && isMeant(metadata.labels ?? {}));
    if (pods.length === 0 && !goal.withoutPod) throw new NodeAgentError("NOT_FOUND", "no matching resources found");
    return new Set(pods.map(keyOf));
  }
  const keys = named.map(async (word) => {
    const name = podName(word);
    if (!goal.withoutPod) return keyOf(await client.pod({ name, namespace }));
    return client.pod({ name, namespace }).then(keyOf, async (error: unknown) => {
      if (!isNodeAgentError(error, "NOT_FOUND")) throw error;
      // It may be gone already, or never have been there: a typo looks the same.
      if (goal.done === "deleted") await tell(io, error.message);
      return namespacedName({ namespace, name });
    });
  });
  return new Set(await Promise.all(keys));
}

// What `wait --for` waits for.

export interface Goal {
  /** Undefined: there is no such pod. */
  holds(pod: Pod | undefined): boolean;
  /** What is said of a pod that has come there. */
  readonly done: string;
  /** There need not be such a pod yet, or any more. */
  readonly withoutPod: boolean;
  /** Of a condition: its name. */
  readonly condition?: string;
}

/** `create`, `delete`, `condition=Ready`, `condition=Ready=false`, `jsonpath={.status.phase}=Running`. @throws NodeAgentError INVALID */
export function parseGoal(text: string): Goal {
  if (text === "delete") return { holds: (pod) => pod === undefined, done: "deleted", withoutPod: true };
  if (text === "create") return { holds: (pod) => pod !== undefined, done: "created", withoutPod: true };
  const [, condition, status = "true"] = /^condition=([^=]+)(?:=(.*))?$/.exec(text) ?? [];
  if (condition !== undefined) {
    const holds = (pod: Pod | undefined): boolean =>
      pod?.status?.conditions?.some(
        (one) =>
          one.type.toLowerCase() === condition.toLowerCase() && one.status.toLowerCase() === status.toLowerCase(),
      ) ?? false;
    return { holds, done: "condition met", withoutPod: false, condition };
  }
  const [, path, value] = /^jsonpath='?\{(.+?)\}'?(?:=(.*))?$/s.exec(text) ?? [];
  const fail = (expected: string): Error => invalid("--for", expected, text);
  if (path === undefined) throw fail("create, delete, condition=NAME[=STATUS] or jsonpath={PATH}[=VALUE]");
  const parsed = parsePath(path.trim(), fail);
  const holds = (pod: Pod | undefined): boolean => {
    const found = pod === undefined ? [] : valuesOf(parsed, podObject(pod));
    return value === undefined ? found.length > 0 : found.length === 1 && valueText(found[0]) === value;
  };
  return { holds, done: "condition met", withoutPod: false };
}
