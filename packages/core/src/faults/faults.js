/** Pure. */
import { didYouMean } from "@hooklet/manifest";
import { foundText, isNodeAgentError, NodeAgentError } from "../errors.js";
/** All faults of a configuration. Nothing was started. */
export class ConfigFaultsError extends NodeAgentError {
  faults;
  constructor(faults) {
    const count = faults.length === 1 ? "1 fault" : `${faults.length} faults`;
    const lines = faults.map((fault) => `\n  ${faultText(fault)}`);
    super("CONFIG_FAULTS", `The configuration has ${count}; nothing was started.${lines.join("")}`);
    this.faults = faults;
  }
}
/** By its code: a plugin may have loaded a copy of core of its own. */
export function isConfigFaultsError(error) {
  return isNodeAgentError(error, "CONFIG_FAULTS");
}
/** `FILE:LINE:COLUMN PATH: expected …, found ….` and the nearest names. */
export function faultText(fault) {
  const place = [fault.file, fault.line, fault.column].filter((part) => part !== undefined).join(":");
  const path = fault.path === "" ? "" : ` ${fault.path}`;
  return `${place}${path}: expected ${fault.expected}, found ${fault.found}.${didYouMean(fault.nearest ?? [])}`;
}
export function valueFault(path, expected, found, nearest) {
  const fault = { path, expected, found: foundText(found) };
  return nearest === undefined || nearest.length === 0 ? fault : { ...fault, nearest };
}
/** A fault whose finding is told in words instead of by value. */
export function wordFault(path, expected, found, nearest) {
  const fault = { path, expected, found };
  return nearest === undefined || nearest.length === 0 ? fault : { ...fault, nearest };
}
/** `node.systemReserved.cpu`, `plugins[1].order`, `labels["example.com/a"]`. */
export function pathText(path) {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else if (/^[A-Za-z_][\w-]*$/.test(step)) text += text === "" ? step : `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text;
}
