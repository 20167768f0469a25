import { expect, test } from "@jest/globals";
import { anEvent, aPod } from "../../../server/test/samples.js";
import { eventFields, parseFieldSelector, podFields } from "../../src/selector.js";

const pod = aPod("web", {
  spec: { restartPolicy: "Never", schedulerName: "mine", serviceAccountName: "robot", hostNetwork: true },
});
const event = anEvent("web", "Pulled", {
  involvedObject: { kind: "Pod", namespace: "team", name: "web", uid: "u", fieldPath: "spec.containers{main}" },
  reportingComponent: "kubelet-2",
});

test.each(
  Object.entries({
    "metadata.name": "web",
    "metadata.namespace": "default",
    "spec.nodeName": "node1",
    "spec.restartPolicy": "Never",
    "spec.schedulerName": "mine",
    "spec.serviceAccountName": "robot",
    "spec.hostNetwork": "true",
    "status.phase": "Running",
    "status.podIP": "10.0.0.1",
  }),
)("of a pod, %s is %s", (field, value) => expect(podFields[field]?.(pod)).toBe(value));

test.each(
  Object.entries({
    "metadata.name": "web.Pulled",
    "metadata.namespace": "default",
    "involvedObject.kind": "Pod",
    "involvedObject.namespace": "team",
    "involvedObject.name": "web",
    "involvedObject.uid": "u",
    "involvedObject.fieldPath": "spec.containers{main}",
    reason: "Pulled",
    reportingComponent: "kubelet-2",
    source: "kubelet",
    type: "Normal",
  }),
)("of an event, %s is %s", (field, value) => expect(eventFields[field]?.(event)).toBe(value));

test("what a pod or an event leaves out is its default, or empty", () => {
  const bare = { metadata: pod.metadata, spec: { containers: [] } };
  expect(Object.keys(podFields).map((field) => podFields[field]?.(bare) ?? "")).toEqual([
    ...["web", "default", "", "Always", "", "", "false", "", ""],
  ]);
  expect(eventFields.reportingComponent?.(anEvent("web", "a"))).toBe("kubelet");
  expect(eventFields.reportingComponent?.(anEvent("web", "a", { source: undefined }))).toBeUndefined();
});

test.each([
  ["", true],
  [",", true],
  ["metadata.name=web", true],
  ["metadata.name==web", true],
  [" metadata.name = web ", true],
  ["metadata.name=db", false],
  ["metadata.name!=web", false],
  ["metadata.name != db", true],
  ["metadata.name=web,status.phase=Failed", false],
  ["metadata.name=web,status.phase=Running", true],
])("%j means this pod: %s", (text, expected) => expect(parseFieldSelector(text, podFields)(pod)).toBe(expected));

test("an empty value means a field that is not there", () => {
  const without = aPod("web", { status: { podIP: undefined } });
  expect(parseFieldSelector("status.podIP=", podFields)(without)).toBe(true);
  expect(parseFieldSelector("status.podIP!=", podFields)(without)).toBe(false);
  expect(parseFieldSelector("status.podIP!=", podFields)(pod)).toBe(true);
});

test.each(["spec.color=red", "metadata.name", "=web", "toString=x"])(
  "%s is refused with the fields there are",
  (text) => {
    expect(() => parseFieldSelector(`metadata.name=a,${text}`, podFields)).toThrow(
      `--field-selector: expected FIELD=VALUE or FIELD!=VALUE of metadata.name, metadata.namespace, spec.nodeName, spec.restartPolicy, spec.schedulerName, spec.serviceAccountName, spec.hostNetwork, status.phase, status.podIP, found "${text}"`,
    );
  },
);
