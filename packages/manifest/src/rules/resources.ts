import type { ContainerResizePolicy, ResourceRequirements } from "kubernetes-types/core/v1.js";
import type { FieldFaults } from "../field-faults.js";
import { qualifiedName } from "../names.js";
import type { FieldPath } from "../path.js";
import { isExtendedResource, isHugePages, isPodLevelResource, isScalarResource } from "../resources/list.js";
import { compare, formatQuantity, NANO, parseQuantity, zeroQuantity } from "../resources/quantity.js";
import { oneOf, type Rule } from "./rule.js";

type Amounts = Readonly<Record<string, string>>;
type Names = "container" | "pod";

/** Limits and requests of a container, or of the pod as a whole. */
export function resourcesRule(of: Names): Rule<ResourceRequirements> {
  return ({ limits = {}, requests = {} }, path, faults) => {
    const limitPath = path.child("limits");
    const requestPath = path.child("requests");
    amountsRule(limits, of, limitPath, faults);
    amountsRule(requests, of, requestPath, faults);
    for (const [resource, request] of Object.entries(requests)) {
      const limit = limits[resource];
      const fixed = isExtendedResource(resource) || isHugePages(resource);
      if (limit === undefined) {
        if (fixed) faults.required(limitPath, "Limit must be set for non overcommitable resources");
        continue;
      }
      const order = compare(parseQuantity(request), parseQuantity(limit));
      if (fixed && order !== 0) faults.invalid(requestPath, request, `must be equal to ${resource} limit of ${limit}`);
      else if (order > 0) {
        faults.invalid(requestPath, request, `must be less than or equal to ${resource} limit of ${limit}`);
      }
    }
    const all = [...Object.keys(limits), ...Object.keys(requests)];
    if (all.some(isHugePages) && !all.includes("cpu") && !all.includes("memory")) {
      faults.forbidden(path, "HugePages require cpu or memory");
    }
  };
}

function amountsRule(amounts: Amounts, of: Names, path: FieldPath, faults: FieldFaults): void {
  for (const [resource, text] of Object.entries(amounts)) {
    const at = path.key(resource);
    nameRule(resource, of, at, faults);
    const amount = parseQuantity(text);
    if (compare(amount, zeroQuantity) < 0) faults.invalid(at, text, "must be greater than or equal to 0");
    if (isExtendedResource(resource) && amount.nano % NANO !== 0n) faults.invalid(at, text, "must be an integer");
    if (isHugePages(resource)) hugePagesRule(resource, amount.nano, text, at, faults);
  }
}

function nameRule(resource: string, of: Names, path: FieldPath, faults: FieldFaults): void {
  const problems = qualifiedName(resource);
  faults.each(path, resource, problems);
  if (problems.length > 0) return;
  if (of === "pod") {
    if (!isPodLevelResource(resource)) faults.unsupported(path, resource, ["cpu", "hugepages-", "memory"]);
    return;
  }
  if (["cpu", "memory", "ephemeral-storage"].includes(resource) || isScalarResource(resource)) return;
  const text = resource.includes("/")
    ? "doesn't follow extended resource name standard"
    : "must be a standard resource for containers";
  faults.invalid(path, resource, text);
}

function hugePagesRule(resource: string, nano: bigint, text: string, path: FieldPath, faults: FieldFaults): void {
  const size = resource.slice("hugepages-".length);
  try {
    const page = parseQuantity(size).nano;
    if (page > 0n && nano % page === 0n) return;
    faults.invalid(path, text, `must be a multiple of the page size ${size}`);
  } catch {
    faults.invalid(path, resource, `${JSON.stringify(size)} is not a page size, for example 2Mi`);
  }
}

/** Amounts of `overhead`. */
export const overheadRule: Rule<Amounts> = (amounts, path, faults) => amountsRule(amounts, "container", path, faults);

/** Each container's limits stay below the pod's; together the requests do too. */
export function podLevelRule(
  requested: ReadonlyMap<
    string,
    { readonly nano: bigint; readonly format: "BinarySI" | "DecimalSI" | "DecimalExponent" }
  >,
): Rule<ResourceRequirements> {
  return (resources, path, faults) => {
    for (const [resource, sum] of requested) {
      const own = resources.requests?.[resource];
      if (own === undefined || compare(sum, parseQuantity(own)) <= 0) continue;
      const text = `must be greater than or equal to aggregate container requests of ${formatQuantity(sum)}`;
      faults.invalid(path.child("requests").key(resource), own, text);
    }
  };
}

export function resizePolicyRule(restartPolicy: string): Rule<readonly ContainerResizePolicy[]> {
  return (policies, path, faults) => {
    const seen = new Set<string>();
    policies.forEach((policy, i) => {
      if (seen.has(policy.resourceName)) faults.duplicate(path.index(i), policy.resourceName);
      seen.add(policy.resourceName);
      oneOf(policy.resourceName ?? "", ["cpu", "memory"], path.index(i).child("resourceName"), faults);
      oneOf(
        policy.restartPolicy ?? "",
        ["NotRequired", "RestartContainer"],
        path.index(i).child("restartPolicy"),
        faults,
      );
      if (restartPolicy === "Never" && policy.restartPolicy === "RestartContainer") {
        faults.invalid(path, policy.restartPolicy, "must be 'NotRequired' when `restartPolicy` is 'Never'");
      }
    });
  };
}
