/** Selectors of labels and of fields, as kubectl writes them: `app=web,tier!=db,env in (a,b),!old`. Pure. */

import type { Pod } from "@hooklet/manifest";
import { invalid } from "@hooklet/utils";
import type { Event } from "kubernetes-types/core/v1.js";

type Labels = Readonly<Record<string, string>>;

interface Requirement {
  readonly key: string;
  readonly matches: (value: string | undefined) => boolean;
}

const KEY = "(?:[a-z0-9.-]+/)?[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?";
const VALUE = "(?:[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?)?";
const EQUALITY = new RegExp(`^(${KEY})\\s*(==|=|!=)\\s*(${VALUE})$`);
const SET = new RegExp(`^(${KEY})\\s+(in|notin)\\s*\\(([^()]*)\\)$`);
const EXISTS = new RegExp(`^(!?)\\s*(${KEY})$`);

/** Whether an object with these labels is meant. @throws NodeAgentError INVALID */
export function parseSelector(text: string): (labels: Labels) => boolean {
  const requirements = parts(text).map((part) => requirement(part.trim(), text));
  return (labels) => requirements.every(({ key, matches }) => matches(labels[key]));
}

/** At the commas that are in no list. */
function parts(text: string): string[] {
  return text.trim() === "" ? [] : text.split(/,(?![^(]*\))/);
}

function requirement(part: string, whole: string): Requirement {
  const [, key = "", operator, value = ""] = EQUALITY.exec(part) ?? [];
  // As in the API: a label that is not there is not equal to anything.
  if (operator === "!=") return { key, matches: (found) => found !== value };
  if (operator !== undefined) return { key, matches: (found) => found === value };
  const [, name = "", word, list = ""] = SET.exec(part) ?? [];
  if (word !== undefined) {
    const values = list.split(",").map((one) => one.trim());
    return { key: name, matches: (found) => (found !== undefined && values.includes(found)) === (word === "in") };
  }
  const [, not, label] = EXISTS.exec(part) ?? [];
  if (label === undefined) throw invalid("--selector", 'for example "app=web,tier in (a,b),!old"', whole);
  return { key: label, matches: (found) => (found === undefined) === (not === "!") };
}

// `--field-selector metadata.name=web,status.phase!=Running`, with the fields that the API server knows.

type Fields<T> = Readonly<Record<string, (object: T) => string | undefined>>;

/** Source: kubernetes/pkg/registry/core/pod/strategy.go, ToSelectableFields. */
export const podFields: Fields<Pod> = {
  "metadata.name": ({ metadata }) => metadata.name,
  "metadata.namespace": ({ metadata }) => metadata.namespace,
  "spec.nodeName": ({ spec }) => spec.nodeName,
  "spec.restartPolicy": ({ spec }) => spec.restartPolicy ?? "Always",
  "spec.schedulerName": ({ spec }) => spec.schedulerName,
  "spec.serviceAccountName": ({ spec }) => spec.serviceAccountName,
  "spec.hostNetwork": ({ spec }) => String(spec.hostNetwork === true),
  "status.phase": ({ status }) => status?.phase,
  "status.podIP": ({ status }) => status?.podIP,
};

/** Source: kubernetes/pkg/registry/core/event/strategy.go, ToSelectableFields. */
export const eventFields: Fields<Event> = {
  "metadata.name": ({ metadata }) => metadata.name,
  "metadata.namespace": ({ metadata }) => metadata.namespace,
  "involvedObject.kind": ({ involvedObject }) => involvedObject.kind,
  "involvedObject.namespace": ({ involvedObject }) => involvedObject.namespace,
  "involvedObject.name": ({ involvedObject }) => involvedObject.name,
  "involvedObject.uid": ({ involvedObject }) => involvedObject.uid,
  "involvedObject.fieldPath": ({ involvedObject }) => involvedObject.fieldPath,
  reason: ({ reason }) => reason,
  reportingComponent: ({ reportingComponent, source }) => reportingComponent || source?.component,
  source: ({ source }) => source?.component,
  type: ({ type }) => type,
};

/** Whether an object is meant. @throws NodeAgentError INVALID naming the fields there are */
export function parseFieldSelector<T>(text: string, fields: Fields<T>): (object: T) => boolean {
  const requirements = text
    .split(",")
    .filter((part) => part.trim() !== "")
    .map((part) => {
      const [, name = "", operator = "", value = ""] = /^\s*([^=!]+?)\s*(==|=|!=)\s*(.*?)\s*$/.exec(part) ?? [];
      const read = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (read === undefined)
        throw invalid("--field-selector", `FIELD=VALUE or FIELD!=VALUE of ${Object.keys(fields).join(", ")}`, part);
      return (object: T): boolean => ((read(object) ?? "") === value) === (operator !== "!=");
    });
  return (object) => requirements.every((matches) => matches(object));
}
