import { afterStart, invalid } from "@hooklet/utils";
import { type HookName, hookRules, type NodeHooks, type PluginHooks, Stage, type TapOptions } from "./hooks.js";

/** The fields of a tap that the guard reads, in addition to tapable's. */
export interface GuardedTap {
  readonly name: string;
  readonly stage?: number;
  readonly plugin?: string;
  readonly deadlineSeconds?: number;
}

type Run = (...args: never[]) => unknown;
type StagedOptions = TapOptions & { readonly stage?: string };
type AnyHook = NodeHooks["podAdmit" | "containerStart" | "podTerminate"] | ReturnType<NodeHooks["tick"]["for"]>;
/** The four hooks differ in arguments only, which the compiler cannot join in one call. */
type TapPromise = (tap: GuardedTap, run: Run) => void;

const MIN_PERIOD_SECONDS = 0.1;
const MAX_PERIOD_SECONDS = 24 * 3600;
const TAP_NAME = /^[\w.:@/-]{1,100}$/;
const knownOptions: readonly string[] = ["name", "deadlineSeconds", "stage"];
const stages: Readonly<Record<string, number>> = {
  check: Stage.check,
  repair: Stage.repair,
  validate: Stage.validate,
};

/**
 * The hooks as one plugin sees them. Every fault of a tap throws at once, and `isOpen` false makes every tap a fault:
 * plugins tap in `start` only.
 */
export function pluginHooks(plugin: string, hooks: NodeHooks, isOpen: () => boolean): PluginHooks {
  const names = new Map<object, Map<string, number>>();

  /** A second tap of a hook under the same name gets a number: `gc`, `gc#2`. */
  const unique = (hook: object, name: string): string => {
    const taken = names.get(hook) ?? new Map<string, number>();
    names.set(hook, taken);
    const count = (taken.get(name) ?? 0) + 1;
    taken.set(name, count);
    return count === 1 ? name : `${name}#${count}`;
  };

  const tappable = (kind: HookName, target: () => AnyHook) => ({
    tap(first: StagedOptions | Run, second?: Run): void {
      const [options, run] = typeof first === "function" ? [{} as StagedOptions, first] : [first, second];
      if (!isOpen()) throw afterStart(plugin, `hooks.${kind}.tap`);
      if (typeof run !== "function") throw invalid(`tap of ${kind}`, "a function", run);
      checkOptions(kind, options);
      const hook = target();
      const tap = {
        name: unique(hook, options.name ?? plugin),
        plugin,
        ...(options.stage !== undefined && { stage: stages[options.stage] ?? Stage.check }),
        ...(options.deadlineSeconds !== undefined && { deadlineSeconds: options.deadlineSeconds }),
      };
      (hook.tapPromise as TapPromise).call(hook, tap, run);
    },
  });

  // Arguments and outputs are those of the hook of the same name; the guard checks what the compiler cannot.
  const known = {
    podAdmit: tappable("podAdmit", () => hooks.podAdmit),
    containerStart: tappable("containerStart", () => hooks.containerStart),
    podTerminate: tappable("podTerminate", () => hooks.podTerminate),
    tick: Object.assign(
      (period: number) => {
        if (!isWithin(period, MIN_PERIOD_SECONDS, MAX_PERIOD_SECONDS)) {
          throw invalid("period of tick", `${MIN_PERIOD_SECONDS} to ${MAX_PERIOD_SECONDS} seconds`, period);
        }
        return tappable("tick", () => hooks.tick.for(period));
      },
      {
        // Written like the other three: the compiler sees it, JavaScript does not.
        tap(): never {
          throw invalid("hook of ctx.hooks", "tick(SECONDS).tap(…)", "tick.tap");
        },
      },
    ),
  };
  return new Proxy(known, { get: hookOf }) as PluginHooks;
}

/** An unknown hook is an error that names it; "undefined has no tap" would not help. */
function hookOf(hooks: object, key: string | symbol): unknown {
  // What languages and printers ask of any object is no question for a hook.
  if (typeof key === "string" && !(key in hooks) && key !== "then" && key !== "toJSON") {
    throw invalid("hook of ctx.hooks", "podAdmit, containerStart, podTerminate or tick(SECONDS)", key);
  }
  return Reflect.get(hooks, key);
}

function checkOptions(kind: HookName, options: StagedOptions): void {
  if (typeof options !== "object" || options === null)
    throw invalid(`options of the tap of ${kind}`, "an object", options);
  for (const key of Object.keys(options)) {
    // `before` above all: with a misspelt name tapable silently puts the tap first.
    if (!knownOptions.includes(key)) throw invalid(`options of the tap of ${kind}`, knownOptions.join(", "), key);
  }
  const { name, deadlineSeconds, stage } = options;
  if (name !== undefined && !(typeof name === "string" && TAP_NAME.test(name)))
    throw invalid(`name of the tap of ${kind}`, "a short word", name);
  if (stage !== undefined && (kind !== "podAdmit" || !Object.hasOwn(stages, stage))) {
    const expected = kind === "podAdmit" ? Object.keys(stages).join(", ") : "none (only podAdmit has stages)";
    throw invalid(`stage of the tap of ${kind}`, expected, stage);
  }
  const { maxDeadlineSeconds } = hookRules[kind];
  if (deadlineSeconds !== undefined && !isWithin(deadlineSeconds, Number.MIN_VALUE, maxDeadlineSeconds)) {
    throw invalid(`deadlineSeconds of the tap of ${kind}`, `above 0, at most ${maxDeadlineSeconds}`, deadlineSeconds);
  }
}

function isWithin(value: unknown, min: number, max: number): boolean {
  return typeof value === "number" && value >= min && value <= max;
}
