/** A strategy of others runs in the agent's own thread: one that does not come back is broken off, or it would hold up the whole node. */
import { type Context, createContext, Script } from "node:vm";

/** Milliseconds. */
const LIMIT = 1000;
/** How often a call is made that had no processor, on a machine that is busy or stood still: the same input gives the same answer. */
const TRIES = 5;
const script = new Script("call()");
/** One for all strategies, made for the first: making it takes longer than most answers. */
let context: Context | undefined;
/** What the script calls. */
let work = (): void => {};

/**
 * The strategy, a function or an object with methods; each call throws when it has not come back within the limit. Anything else as it is.
 * What is no method of an object is read and written in the object itself, accessors too, which are not bounded. A call costs
 * a thread more, which watches it.
 */
export function boundedStrategy(strategy: unknown, limit = LIMIT): unknown {
  if (typeof strategy === "function") return caller(limit, (args, self) => Reflect.apply(strategy, self, args));
  if (typeof strategy !== "object" || strategy === null) return strategy;
  const members = [...membersOf(strategy)].map(([name, member]): [string, PropertyDescriptor] => {
    if (!isMethod(member)) {
      const get = (): unknown => Reflect.get(strategy, name);
      const set = (value: unknown): void => {
        if (!Reflect.set(strategy, name, value)) throw new TypeError(`${name} of the strategy cannot be written`);
      };
      return [name, { get, set, enumerable: member.enumerable === true }];
    }
    const value = caller(limit, (args) => Reflect.apply(Reflect.get(strategy, name) as Call, strategy, args));
    return [name, { value, enumerable: true }];
  });
  return Object.create(strategy, Object.fromEntries(members)) as object;
}

/** Names of what can be called of an object: its own functions, and those of its class and the ones above. No accessor is run. */
export function methodsOf(strategy: object): readonly string[] {
  return [...membersOf(strategy)].flatMap(([name, member]) => (isMethod(member) ? [name] : []));
}

/** By name, those of the object itself before those of its class. */
function membersOf(strategy: object): ReadonlyMap<string, PropertyDescriptor> {
  const members = new Map<string, PropertyDescriptor>();
  for (let at: object | null = strategy; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const [name, member] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      if (name !== "constructor" && !(name in Object.prototype) && !members.has(name)) members.set(name, member);
    }
  }
  return members;
}

function isMethod({ value }: PropertyDescriptor): boolean {
  return typeof value === "function";
}

type Call = (...args: readonly unknown[]) => unknown;

function caller(limit: number, run: (args: readonly unknown[], self: unknown) => unknown): Call {
  return function (this: unknown, ...args) {
    context ??= createContext({ call: () => work() });
    let answer: unknown;
    // Of the call within which this one is.
    const former = work;
    work = () => {
      answer = run(args, this);
    };
    try {
      for (let left = TRIES - 1; !comesBack(context, limit, left > 0); left--);
    } finally {
      work = former;
    }
    return answer;
  };
}

/** False when it had no processor for most of the time. @throws when it does not return, or the strategy's error */
function comesBack(within: Context, limit: number, mayStarve: boolean): boolean {
  const before = process.cpuUsage();
  try {
    script.runInContext(within, { timeout: limit });
    return true;
  } catch (error) {
    if (!isTimeout(error)) throw error;
    const { user, system } = process.cpuUsage(before);
    if (mayStarve && (user + system) / 1000 < limit / 2) return false;
    throw new Error(`it did not come back within ${limit} ms`);
  }
}

/** It is an error of the script's own realm, which is no `instanceof Error` here. */
function isTimeout(error: unknown): boolean {
  return (error as { readonly code?: unknown } | undefined)?.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}
