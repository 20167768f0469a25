import type { Container } from "@hooklet/core";
import { aContainer, aPod } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import { annotationFaults, annotationsOf } from "../../src/annotations.js";
import { wantedWorkers } from "../../src/worker/spec.js";

const httpGet = { path: "/", port: 80 };
const containers = [
  aContainer({
    name: "main",
    livenessProbe: { httpGet },
    readinessProbe: { grpc: { port: 90 } },
  } as Partial<Container>),
];
const pod = (annotations: Record<string, string>) => {
  const made = aPod({ containers });
  return { ...made, metadata: { ...made.metadata, annotations } };
};
const all = { subSecond: true, grpcTLS: true };

describe("a probe's own annotations", () => {
  test.each([
    {
      name: "a period below a second",
      field: "liveness.periodMilliseconds",
      value: "200",
      gives: { periodMilliseconds: 200 },
    },
    {
      name: "a timeout below a second",
      field: "liveness.timeoutMilliseconds",
      value: "50",
      gives: { timeoutMilliseconds: 50 },
    },
    { name: "20 ms, the least", field: "liveness.periodMilliseconds", value: "20", gives: { periodMilliseconds: 20 } },
    {
      name: "an hour, the most",
      field: "liveness.periodMilliseconds",
      value: "3600000",
      gives: { periodMilliseconds: 3_600_000 },
    },
    { name: "of another kind of probe say nothing", field: "readiness.tls", value: "true", gives: {} },
  ])("$name", ({ field, value, gives }) => {
    const asked = pod({ [`probe.hooklet.dev/main.${field}`]: value });
    expect(annotationsOf(asked, "main", "liveness")).toEqual(gives);
    expect(annotationFaults(asked, all)).toBeUndefined();
  });

  test("of another container have no effect, nor have foreign annotations", () => {
    const asked = pod({
      "probe.hooklet.dev/other.liveness.periodMilliseconds": "200",
      "example.com/main.liveness.periodMilliseconds": "200",
    });
    expect(annotationsOf(asked, "main", "liveness")).toEqual({});
    expect(annotationFaults(pod({ "example.com/main.liveness.periodMilliseconds": "x" }), all)).toBeUndefined();
  });

  test("TLS is for gRPC probes", () => {
    const asked = pod({ "probe.hooklet.dev/main.readiness.tls": "true" });
    expect(annotationsOf(asked, "main", "readiness")).toEqual({ tls: true });
    expect(annotationFaults(asked, all)).toBeUndefined();
  });

  test("win over the probe's own seconds", () => {
    const asked = pod({ "probe.hooklet.dev/main.liveness.periodMilliseconds": "200" });
    expect(
      wantedWorkers(asked).map(({ spec }) => [spec.kind, spec.periodMilliseconds, spec.timeoutMilliseconds]),
    ).toEqual([
      ["readiness", 10_000, 1000],
      ["liveness", 200, 1000],
    ]);
  });

  test("that cannot be understood are left out", () => {
    for (const value of ["19", "3600001", "1.5", "-20", "20ms", "00000020", ""]) {
      const asked = pod({ "probe.hooklet.dev/main.liveness.periodMilliseconds": value });
      expect(annotationsOf(asked, "main", "liveness")).toEqual({});
      expect(annotationFaults(asked, all)).toBe(
        `annotation probe.hooklet.dev/main.liveness.periodMilliseconds: expected a whole number of 20 to 3600000, found ${JSON.stringify(value)}`,
      );
    }
  });

  test.each([
    {
      name: "a field that there is not",
      key: "main.liveness.retries",
      value: "1",
      fault:
        'expected probe.hooklet.dev/<container>.<kind>.{periodMilliseconds,timeoutMilliseconds,tls}, found "retries"',
    },
    {
      name: "a field with a dot",
      key: "main.liveness.tls.x",
      value: "true",
      fault:
        'expected probe.hooklet.dev/<container>.<kind>.{periodMilliseconds,timeoutMilliseconds,tls}, found "tls.x"',
    },
    {
      name: "a container that there is not",
      key: "none.liveness.tls",
      value: "true",
      fault: 'expected the name of a container of this pod, found "none"',
    },
    {
      name: "a kind that there is not",
      key: "main.health.tls",
      value: "true",
      fault: 'expected startup, readiness, liveness, found "health"',
    },
    {
      name: "a probe that there is not",
      key: "main.startup.tls",
      value: "true",
      fault: 'expected a container with a startupProbe, found "main"',
    },
    {
      name: "neither true nor false",
      key: "main.readiness.tls",
      value: "yes",
      fault: 'expected true or false, found "yes"',
    },
    {
      name: "TLS for a probe that is no gRPC",
      key: "main.liveness.tls",
      value: "true",
      fault: 'expected a grpc probe, found "livenessProbe of main"',
    },
  ])("$name is an error that names it", ({ key, value, fault }) => {
    expect(annotationFaults(pod({ [`probe.hooklet.dev/${key}`]: value }), all)).toBe(
      `annotation probe.hooklet.dev/${key}: ${fault}`,
    );
  });

  test.each([
    { field: "periodMilliseconds", value: "200", option: "subSecond" },
    { field: "timeoutMilliseconds", value: "200", option: "subSecond" },
    { field: "tls", value: "true", option: "grpcTLS" },
  ])(
    "$field is refused where the node does not allow it, and the option that would is named",
    ({ field, value, option }) => {
      const annotation = `probe.hooklet.dev/main.liveness.${field}`;
      expect(annotationFaults(pod({ [annotation]: value }), { ...all, [option]: false })).toBe(
        `annotation ${annotation}: set the option ${option} of plugin probe to allow it`,
      );
    },
  );
});
