/** `hooklet plan cgroups -f POD.yaml [--cgroup v1|v2]`: what a pod would get, and the QoS cgroups with it. Changes nothing. */
import {
  allContainers,
  type Decision,
  hasEnded,
  NodeAgentError,
  type NodeContext,
  namespacedName,
  type PlanInput,
  type Pod,
  podSubject,
} from "@hooklet/core";
import type { CpuManager } from "./cpu/cpu-manager.js";
import { nodePlan } from "./plan/node-plan.js";
import type { NodeRules } from "./plan/node-rules.js";
import { containerPlan, OOM_SCORE_FILE, podPath, podPlan } from "./plan/pod-plan.js";
import type { CgroupSetting, Plan } from "./plan/setting.js";
import { qosSums } from "./rules/qos.js";
import type { CgroupService } from "./service.js";
import { stateOf } from "./view.js";

/** One decision for each cgroup: its files are the candidates, their values the verdicts. @throws NodeAgentError INVALID */
export function planned(
  ctx: NodeContext,
  { rules, cpus }: Pick<CgroupService, "rules"> & { readonly cpus: CpuManager | undefined },
  input: PlanInput,
): readonly Decision[] {
  const node = rulesFor(rules, input.arguments);
  const asked = input.pod === undefined || cpus === undefined ? node : { ...node, cpus: cpus.preview(input.pod) };
  const others = ctx.pods.active().filter(({ metadata }) => metadata.uid !== input.pod?.metadata.uid);
  const pods = input.pod === undefined ? others : [...others, input.pod];
  const plan = [
    ...nodePlan(asked, qosSums(pods, asked.pod)),
    ...(input.pod === undefined ? [] : wholePodPlan(input.pod, asked)),
  ];
  const subject = input.pod === undefined ? "node" : podSubject(input.pod);
  return decisionsOf(plan, { at: ctx.clock.now(), plugin: ctx.plugin, strategy: asked.files.weightsName, subject });
}

/**
 * `hooklet explain pod NAME`: each value with its formula as it comes out now, and whether the kernel has it; where there are no
 * cgroups, what it would be. @param applied the pod with what it has, while it waits for more or less
 */
export function explained(
  ctx: NodeContext,
  service: CgroupService,
  kind: string,
  name: string,
  applied: (pod: Pod) => Pod,
): readonly Decision[] {
  const found = ctx.pods.list().find(({ metadata }) => namespacedName(metadata) === name);
  // A pod that was refused never had cgroups, and one that is done has none any more.
  if (kind !== "pod" || found === undefined || hasEnded(found)) return [];
  const pod = applied(found);
  const { rules, open, containers } = service;
  const common = {
    at: ctx.clock.now(),
    plugin: ctx.plugin,
    strategy: rules.files.weightsName,
    subject: podSubject(found),
  };
  const own = rules.cgroupsPerQOS ? podPath(pod, rules) : "";
  const isEnforced = (path: string): boolean => (path === own ? open !== undefined : containers);
  const plan = wholePodPlan(pod, rules).map((line) => (isEnforced(line.path) ? line : withoutEffect(line)));
  return decisionsOf(plan, common, (path) => {
    if (!isEnforced(path)) return "computed now; not enforced, there are no cgroups for it here";
    return open !== undefined && path === own ? `computed now; ${stateOf(open, podPlan(pod, rules))}` : "computed now";
  });
}

function withoutEffect(line: CgroupSetting): CgroupSetting {
  // The kernel scores processes whether or not they have cgroups.
  if (line.file === OOM_SCORE_FILE) return line;
  return { ...line, value: "not enforced", why: `would be ${line.value}: ${line.why}` };
}

/** The pod's own cgroup and those of its containers. */
function wholePodPlan(pod: Pod, rules: NodeRules): Plan {
  const own = rules.cgroupsPerQOS ? podPlan(pod, rules) : [];
  return [...own, ...allContainers(pod).flatMap((container) => containerPlan(pod, container, rules).plan)];
}

/** Lines of a plan as decisions, one for each cgroup. */
function decisionsOf(
  plan: Plan,
  common: Pick<Decision, "at" | "plugin" | "strategy" | "subject">,
  outcomeOf: (path: string) => string = () => "",
): readonly Decision[] {
  const paths = [...new Set(plan.map(({ path }) => path))];
  return paths.map((path) => {
    const lines = plan.filter((setting) => setting.path === path);
    return {
      ...common,
      considered: lines.map(({ file, value, why }) => ({ candidate: file, verdict: value, why })),
      outcome: [path, outcomeOf(path)].filter((text) => text !== "").join(": "),
    };
  });
}

function rulesFor(rules: NodeRules, given: PlanInput["arguments"]): NodeRules {
  const unknown = Object.keys(given).find((name) => name !== "cgroup");
  if (unknown !== undefined) {
    throw new NodeAgentError("INVALID", `plan cgroups: expected --cgroup v1|v2 or nothing, found --${unknown}.`);
  }
  const version = given.cgroup ?? rules.version;
  if (version !== "v1" && version !== "v2") {
    throw new NodeAgentError("INVALID", `plan cgroups: expected --cgroup v1 or v2, found --cgroup ${version}.`);
  }
  return rules.version === version ? rules : rules.as(version);
}
