import type { NodeSelectorRequirement, NodeSelectorTerm, PodSpec, Toleration } from "kubernetes-types/core/v1.js";
import type { FieldFaults } from "../field-faults.js";
import { dns1123Subdomain, labelValue, qualifiedName } from "../names.js";
import type { FieldPath } from "../path.js";
import { oneOf, type Rule } from "./rule.js";

const EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export const tolerationsRule: Rule<readonly Toleration[]> = (tolerations, path, faults) => {
  tolerations.forEach(({ key = "", operator = "", value = "", effect = "", tolerationSeconds }, i) => {
    const at = path.index(i);
    if (key !== "") faults.each(at.child("key"), key, qualifiedName(key));
    else if (operator !== "Exists") {
      const text = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      faults.invalid(at.child("operator"), operator, text);
    }
    if (tolerationSeconds !== undefined && effect !== "NoExecute") {
      faults.invalid(at.child("effect"), effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
    }
    if (operator === "Exists") {
      if (value !== "") faults.invalid(at.child("operator"), value, "value must be empty when `operator` is 'Exists'");
    } else if (operator === "Equal" || operator === "") {
      faults.each(at.child("operator"), value, labelValue(value));
    } else faults.unsupported(at.child("operator"), operator, ["Equal", "Exists"]);
    if (effect !== "") oneOf(effect, EFFECTS, at.child("effect"), faults);
  });
};

/** The part that a kubelet evaluates: the required node affinity. The rest is the scheduler's and only has to be well formed. */
export const affinityRule: Rule<NonNullable<PodSpec["affinity"]>> = (affinity, path, faults) => {
  const node = path.child("nodeAffinity");
  const required = affinity.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (required !== undefined) {
    const at = node.child("requiredDuringSchedulingIgnoredDuringExecution").child("nodeSelectorTerms");
    const terms = required.nodeSelectorTerms ?? [];
    if (terms.length === 0) faults.required(at, "must have at least one node selector term");
    terms.forEach((term, i) => {
      termRule(term, at.index(i), faults);
    });
  }
  affinity.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution?.forEach(({ weight, preference }, i) => {
    const at = node.child("preferredDuringSchedulingIgnoredDuringExecution").index(i);
    if (!(weight >= 1 && weight <= 100)) faults.invalid(at.child("weight"), weight, "must be in the range 1-100");
    termRule(preference ?? {}, at.child("preference"), faults);
  });
};

function termRule(term: NodeSelectorTerm, path: FieldPath, faults: FieldFaults): void {
  term.matchExpressions?.forEach((requirement, i) => {
    expressionRule(requirement, path.child("matchExpressions").index(i), faults);
  });
  term.matchFields?.forEach((requirement, i) => {
    fieldRule(requirement, path.child("matchFields").index(i), faults);
  });
}

function expressionRule(requirement: NodeSelectorRequirement, path: FieldPath, faults: FieldFaults): void {
  const { key = "", operator = "", values = [] } = requirement;
  const at = path.child("values");
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0) faults.required(at, "must be specified when `operator` is 'In' or 'NotIn'");
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length > 0) faults.forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  } else if (operator === "Gt" || operator === "Lt") {
    if (values.length !== 1) faults.required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'");
  } else faults.invalid(path.child("operator"), operator, "not a valid selector operator");
  faults.each(path.child("key"), key, qualifiedName(key));
  values.forEach((value, i) => {
    faults.each(at.index(i), value, labelValue(value));
  });
}

function fieldRule(requirement: NodeSelectorRequirement, path: FieldPath, faults: FieldFaults): void {
  const { key = "", operator = "", values = [] } = requirement;
  const at = path.child("values");
  if (operator !== "In" && operator !== "NotIn") {
    faults.invalid(path.child("operator"), operator, "not a valid selector operator");
  } else if (values.length !== 1) {
    faults.required(at, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
  }
  if (key !== "metadata.name") faults.invalid(path.child("key"), key, "not a valid field selector key");
  else {
    values.forEach((value, i) => {
      faults.each(at.index(i), value, dns1123Subdomain(value));
    });
  }
}
