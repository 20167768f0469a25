/** `--field-selector metadata.name=web,status.phase!=Running`, with the fields that the API server knows. Pure. */

import type { Pod } from "@hooklet/manifest";
import { invalid } from "@hooklet/utils";
import type { Event } from "kubernetes-types/core/v1.js";

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
