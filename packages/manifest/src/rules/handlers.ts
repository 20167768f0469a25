import type { HTTPGetAction, Lifecycle, LifecycleHandler, Probe } from "kubernetes-types/core/v1.js";
import { FieldFaults } from "../field-faults.js";
import { headerName, notNegative, portName, portNumber } from "../names.js";
import { FieldPath } from "../path.js";
import type { Rule } from "./rule.js";

type Handlers = Pick<Probe, "exec" | "httpGet" | "tcpSocket" | "grpc"> & Pick<LifecycleHandler, "sleep">;

/** Exactly one handler. `gracePeriod`: the pod's, in seconds, which bounds `sleep`. */
function handlerRule(handlers: Handlers, gracePeriod: number, path: FieldPath, faults: FieldFaults): void {
  const { exec, httpGet, tcpSocket, grpc, sleep } = handlers;
  const given = Object.entries({ exec, httpGet, tcpSocket, grpc, sleep }).filter(([, one]) => one !== undefined);
  if (given.length === 0) faults.requiredOneOf(path, "must specify a handler type");
  for (const [name] of given.slice(1)) {
    faults.forbidden(path.child(name), "may not specify more than 1 handler type");
  }
  const [first] = given[0] ?? [];
  const at = path.child(first ?? "");
  if (first === "exec" && !exec?.command?.length) faults.required(at.child("command"));
  if (first === "httpGet" && httpGet) httpGetRule(httpGet, at, faults);
  if (first === "tcpSocket" && tcpSocket) portRule(tcpSocket.port, at.child("port"), faults);
  if (first === "grpc" && grpc) portRule(grpc.port, at.child("port"), faults);
  if (first === "sleep") {
    const seconds = sleep?.seconds ?? 0;
    if (gracePeriod >= 0 && (seconds < 0 || seconds > gracePeriod)) {
      const text = `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`;
      faults.invalid(at, seconds, text);
    }
  }
}

function httpGetRule(action: HTTPGetAction, path: FieldPath, faults: FieldFaults): void {
  if (!action.path) faults.required(path.child("path"));
  portRule(action.port, path.child("port"), faults);
  const { scheme = "" } = action;
  // The API server names what it supports here also where nothing stands.
  if (!SCHEMES.includes(scheme)) faults.unsupported(path.child("scheme"), scheme, SCHEMES);
  for (const { name = "", value = "" } of action.httpHeaders ?? []) {
    const at = path.child("httpHeaders");
    faults.each(at, name, headerName(name));
    // Stricter than the API server: no HTTP client sends such a header, so the probe could only ever fail.
    if (CONTROL.test(value)) faults.invalid(at, value, "a header value must not contain control characters");
  }
}

function portRule(port: number | string | undefined, path: FieldPath, faults: FieldFaults): void {
  if (port === undefined) faults.required(path);
  else if (typeof port === "number") faults.each(path, port, portNumber(port));
  else faults.each(path, port, portName(port));
}

export function lifecycleRule(gracePeriod: number): Rule<Lifecycle> {
  return ({ postStart, preStop }, path, faults) => {
    if (postStart !== undefined) handlerRule(postStart, gracePeriod, path.child("postStart"), faults);
    if (preStop !== undefined) handlerRule(preStop, gracePeriod, path.child("preStop"), faults);
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are searched for
const CONTROL = /[\0-\x08\n-\x1f\x7f]/;

/** Of an HTTP probe or handler. */
const SCHEMES = ["HTTP", "HTTPS"];

/** In the API server's order. */
const NUMBERS = [
  "initialDelaySeconds",
  "timeoutSeconds",
  "periodSeconds",
  "successThreshold",
  "failureThreshold",
] as const;

export type ProbeKind = "livenessProbe" | "readinessProbe" | "startupProbe";

/** All that is wrong with a defaulted probe, each as `field: what is wrong`. */
export function probeFaults(kind: ProbeKind, probe: Probe): readonly string[] {
  const faults = new FieldFaults();
  probeRule(kind)(probe, FieldPath.root, faults);
  return faults.list.map(({ message }) => message);
}

export function probeRule(kind: ProbeKind): Rule<Probe> {
  return (probe, path, faults) => {
    handlerRule(probe, Number.POSITIVE_INFINITY, path, faults);
    for (const name of NUMBERS) {
      const value = probe[name];
      if (value !== undefined) faults.each(path.child(name), value, notNegative(value));
    }
    const { successThreshold = 1, terminationGracePeriodSeconds: grace } = probe;
    const at = path.child("terminationGracePeriodSeconds");
    if (grace !== undefined && grace <= 0) faults.invalid(at, grace, "must be greater than 0");
    if (kind !== "readinessProbe" && successThreshold !== 1) {
      faults.invalid(path.child("successThreshold"), successThreshold, "must be 1");
    }
    if (kind === "readinessProbe" && grace !== undefined) {
      faults.invalid(at, grace, "must not be set for readinessProbes");
    }
  };
}
