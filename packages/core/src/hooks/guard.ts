/**
 * The one guard between the core and every tap: a `register` interceptor on all hooks. It names plugin and hook in
 * errors, bounds each call by the clock, counts and times it, can switch it off, checks what comes out, and keeps the
 * failure policy of `hookRules`.
 */

import { invalid } from "@hooklet/utils";
import type { FullTap } from "tapable";
import { callTap, type Tap } from "./call-tap.js";
import { createHooks, type HookName, hookRules, type NodeHooks, type PluginHooks } from "./hooks.js";
import { type GuardedTap, pluginHooks } from "./plugin-hooks.js";
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
