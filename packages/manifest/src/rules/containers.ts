import type { PodSpec } from "kubernetes-types/core/v1.js";
import { neverStarts } from "../exec-size.js";
import type { FieldFaults } from "../field-faults.js";
import { dns1123Label } from "../names.js";
import type { FieldPath } from "../path.js";
import type { Container } from "../pod.js";
import { restartPolicyRules } from "../restart.js";
import { envFromRule, envRule } from "./env.js";
import { lifecycleRule, probeRule } from "./handlers.js";
import { hostNetworkRule, hostPortsRule, portsRule } from "./network.js";
import { resizePolicyRule, resourcesRule } from "./resources.js";
import { absolutePath, oneOf, type Rule } from "./rule.js";
import { securityContextRule } from "./security.js";
import { mountsRule } from "./volumes.js";

const PROBES = ["livenessProbe", "readinessProbe", "startupProbe"] as const;

/** Main and init containers of a pod. */
export const containersRule: Rule<PodSpec> = (spec, path, faults) => {
  const { containers = [], initContainers = [] } = spec;
  const main = path.child("containers");
  if (containers.length === 0) faults.required(main);
  const common = commonRule(spec);
  const names = new Set<string>();
  containers.forEach((container, i) => {
    const at = main.index(i);
    common(container, at, faults);
    nameIsNew(names, container, at, faults);
    longRunningRule(container, spec, at, faults);
    restartPolicyRule(container, at, faults);
  });
  hostPortsRule(containers, main, faults);
  if (spec.hostNetwork) hostNetworkRule(containers, main, faults);

  const init = path.child("initContainers");
  initContainers.forEach((container, i) => {
    const at = init.index(i);
    common(container, at, faults);
    nameIsNew(names, container, at, faults);
    restartPolicyRule(container, at, faults);
    if (container.restartPolicy === "Always") longRunningRule(container, spec, at, faults);
    else shortRunningRule(container, at, faults);
  });
};

function nameIsNew(names: Set<string>, { name }: Container, path: FieldPath, faults: FieldFaults): void {
  if (!name) return;
  if (names.has(name)) faults.duplicate(path.child("name"), name);
  names.add(name);
}

function commonRule(spec: PodSpec): Rule<Container> {
  const volumes = new Set(spec.volumes?.map(({ name }) => name));
  const all = new Set([...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ name }) => name));
  const vars = envRule(all);
  return (container, path, faults) => {
    const { name, image = "" } = container;
    if (!name) faults.required(path.child("name"));
    else faults.each(path.child("name"), name, dns1123Label(name));
    if (image === "") faults.required(path.child("image"));
    else if (image.trim() !== image) {
      faults.invalid(path.child("image"), image, "must not have leading or trailing whitespace");
    }
    const policy = path.child("terminationMessagePolicy");
    oneOf(container.terminationMessagePolicy ?? "", ["File", "FallbackToLogsOnError"], policy, faults);
    absolutePath(container.terminationMessagePath ?? "", path.child("terminationMessagePath"), faults);
    oneOf(container.imagePullPolicy ?? "", ["Always", "IfNotPresent", "Never"], path.child("imagePullPolicy"), faults);
    // Stricter than the API server: the container could only ever fail.
    const why = neverStarts(container);
    if (why !== undefined) faults.forbidden(path, why);
    portsRule(container.ports ?? [], path.child("ports"), faults);
    vars(container.env ?? [], path.child("env"), faults);
    envFromRule(container.envFrom ?? [], path.child("envFrom"), faults);
    mountsRule(volumes, container)(container.volumeMounts ?? [], path.child("volumeMounts"), faults);
    resourcesRule("container")(container.resources ?? {}, path.child("resources"), faults);
    const resize = container.resizePolicy ?? [];
    resizePolicyRule(spec.restartPolicy ?? "Always")(resize, path.child("resizePolicy"), faults);
    if (container.securityContext)
      securityContextRule(container.securityContext, path.child("securityContext"), faults);
  };
}

/** Main containers and sidecars. */
function longRunningRule(container: Container, spec: PodSpec, path: FieldPath, faults: FieldFaults): void {
  const gracePeriod = spec.terminationGracePeriodSeconds ?? 30;
  if (container.lifecycle) lifecycleRule(gracePeriod)(container.lifecycle, path.child("lifecycle"), faults);
  for (const kind of PROBES) {
    const probe = container[kind];
    if (probe) probeRule(kind)(probe, path.child(kind), faults);
  }
}

function shortRunningRule(container: Container, path: FieldPath, faults: FieldFaults): void {
  for (const field of ["lifecycle", ...PROBES] as const) {
    if (container[field] === undefined) continue;
    faults.forbidden(path.child(field), "may not be set for init containers without restartPolicy=Always");
  }
}

// Restart policy and restart rules of one container (validateContainerRestartPolicy).

const POLICIES = ["Always", "Never", "OnFailure"];
const ACTIONS = ["Restart", "RestartAllContainers"];
const OPERATORS = ["In", "NotIn"];
const MOST_RULES = 20;
const MOST_VALUES = 255;

const restartPolicyRule: Rule<Container> = (container, path, faults) => {
  const rules = restartPolicyRules(container);
  const policy = path.child("restartPolicy");
  if (container.restartPolicy !== undefined) oneOf(container.restartPolicy, POLICIES, policy, faults);
  else if (rules.length > 0) faults.required(policy, "must specify restartPolicy when restart rules are used");
  const all = path.child("restartPolicyRules");
  if (rules.length > MOST_RULES) faults.tooMany(all, rules.length, MOST_RULES);
  for (const [i, { action, exitCodes }] of rules.entries()) {
    const at = all.index(i);
    oneOf(action ?? "", ACTIONS, at.child("action"), faults);
    const codes = at.child("exitCodes");
    if (exitCodes === undefined) faults.required(codes, "must be specified");
    else {
      oneOf(exitCodes.operator ?? "", OPERATORS, codes.child("operator"), faults);
      const { length } = exitCodes.values ?? [];
      if (length > MOST_VALUES) faults.tooMany(codes.child("values"), length, MOST_VALUES);
    }
  }
};
