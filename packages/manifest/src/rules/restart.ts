/** Restart policy and restart rules of one container (validateContainerRestartPolicy). */
import type { Container } from "../pod.js";
import { restartPolicyRules } from "../restart.js";
import { oneOf, type Rule } from "./rule.js";

const POLICIES = ["Always", "Never", "OnFailure"];
const ACTIONS = ["Restart", "RestartAllContainers"];
const OPERATORS = ["In", "NotIn"];
const MOST_RULES = 20;
const MOST_VALUES = 255;

export const restartPolicyRule: Rule<Container> = (container, path, faults) => {
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
