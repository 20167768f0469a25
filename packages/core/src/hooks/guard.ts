/**
 * The one guard between the core and every tap: a `register` interceptor on all hooks. It names plugin and hook in errors, bounds each call by
 * the clock, counts and times it, can switch it off, checks what comes out, and keeps the failure policy of `hookRules`.
 */

import { afterStart, invalid } from "@hooklet/utils";
import type { FullTap } from "tapable";
import { callTap, type Tap } from "./call-tap.js";
import {
  createHooks,
  type HookName,
  hookRules,
  type NodeHooks,
  type PluginHooks,
  Stage,
  type TapOptions,
} from "./hooks.js";
import { type GuardOptions, TapRecord, type TapReport } from "./tap-record.js";

export interface GuardedHooks {
  /** For the core to fire. Core's own taps come through the guard as well, under the name they give. */
  readonly hooks: NodeHooks;
  /** Hooks for one plugin, open for taps until `seal`. */
  forPlugin(plugin: string): PluginHooks;
  /** Whether the plugin is in its start: only then it may tap, add and provide. */
  isOpen(plugin: string): boolean;
  /** Ends that time. */
  seal(plugin: string): void;
  reports(plugin: string): readonly TapReport[];
  /** Switches all taps of a plugin off or on; a tap that is off is passed over. False: it has no taps. */
  switchPlugin(plugin: string, active: boolean): boolean;
}

export function createGuardedHooks(options: GuardOptions): GuardedHooks {
  const hooks = createHooks();
  const records: TapRecord[] = [];
  const open = new Set<string>();

  const register =
    (kind: HookName, hook: string) =>
    (tap: FullTap & Partial<GuardedTap>): FullTap => {
      if (tap.type === "async") throw invalid(`tap "${tap.name}" of ${hook}`, "tap or tapPromise", "tapAsync");
      const rule = hookRules[kind];
      const plugin = tap.plugin ?? tap.name;
      const deadline = tap.deadlineSeconds ?? rule.deadlineSeconds;
      const place = { plugin, hook, tap: tap.name };
      const record = new TapRecord(place, kind, rule, deadline, tap.stage ?? 0, tap.plugin !== undefined);
      records.push(record);
      const run = tap.fn as Tap;
      return { ...tap, type: "promise", fn: (...args: [unknown, unknown?]) => callTap(record, run, args, options) };
    };

  hooks.podAdmit.intercept({ register: register("podAdmit", "podAdmit") });
  hooks.containerStart.intercept({ register: register("containerStart", "containerStart") });
  hooks.podTerminate.intercept({ register: register("podTerminate", "podTerminate") });
  hooks.tick.intercept({
    factory: (period, hook) => {
      hook.intercept({ register: register("tick", `tick ${period}s`) });
      return hook;
    },
  });

  return {
    hooks,
    forPlugin(plugin) {
      open.add(plugin);
      return pluginHooks(plugin, hooks, () => open.has(plugin));
    },
    isOpen: (plugin) => open.has(plugin),
    seal: (plugin) => void open.delete(plugin),
    reports: (plugin) => records.filter(({ place }) => place.plugin === plugin).map((record) => record.report()),
    switchPlugin(plugin, active) {
      const own = records.filter(({ place }) => place.plugin === plugin);
      for (const record of own) record.active = active;
      return own.length > 0;
    },
  };
}

/** The fields of a tap that the guard reads, in addition to tapable's. */
interface GuardedTap {
  readonly name: string;
  readonly stage: number | undefined;
  readonly plugin: string;
  readonly deadlineSeconds: number | undefined;
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
function pluginHooks(plugin: string, hooks: NodeHooks, isOpen: () => boolean): PluginHooks {
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
        stage: stages[options.stage ?? "check"],
        deadlineSeconds: options.deadlineSeconds,
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
