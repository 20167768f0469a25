/** What goes beyond the kubelet: annotations `probe.hooklet.dev/<container>.<kind>.<field>` of a pod, and the hosts that probes may go to. Pure. */
import { allContainers, type Pod } from "@hooklet/core";
import { type ProbeKind, probedContainers, probeKinds, probeOf } from "./types.js";

const PREFIX = "probe.hooklet.dev/";

/** Milliseconds that a period or timeout may have. */
const MILLISECONDS = { min: 20, max: 3_600_000 } as const;

export interface ProbeAnnotations {
  readonly periodMilliseconds?: number;
  readonly timeoutMilliseconds?: number;
  readonly tls?: boolean;
}

/** Which of them the rc file allows. */
export interface AllowedAnnotations {
  readonly subSecond: boolean;
  readonly grpcTLS: boolean;
}

const options = {
  periodMilliseconds: "subSecond",
  timeoutMilliseconds: "subSecond",
  tls: "grpcTLS",
} as const satisfies Record<keyof ProbeAnnotations, keyof AllowedAnnotations>;

interface Asked {
  readonly annotation: string;
  readonly value: string;
  readonly container: string;
  readonly kind: string;
  readonly field: string;
}

function asked(pod: Pod): readonly Asked[] {
  return Object.entries(pod.metadata.annotations ?? {}).flatMap(([annotation, value]) => {
    if (!annotation.startsWith(PREFIX)) return [];
    const [container = "", kind = "", ...field] = annotation.slice(PREFIX.length).split(".");
    return [{ annotation, value, container, kind, field: field.join(".") }];
  });
}

/** The pod's own wishes for one probe; what is not understood is left out (see `extraFaults`). */
export function annotationsOf(pod: Pod, container: string, kind: ProbeKind): ProbeAnnotations {
  const extras: { -readonly [K in keyof ProbeAnnotations]: ProbeAnnotations[K] } = {};
  for (const wish of asked(pod)) {
    if (wish.container !== container || wish.kind !== kind) continue;
    if (wish.field === "periodMilliseconds" || wish.field === "timeoutMilliseconds") {
      const value = milliseconds(wish.value);
      if (value !== undefined) extras[wish.field] = value;
    } else if (wish.field === "tls") extras.tls = wish.value === "true";
  }
  return extras;
}

/** The first annotation that cannot be honoured, and why; undefined when all is well. */
export function annotationFaults(pod: Pod, allowed: AllowedAnnotations): string | undefined {
  return asked(pod)
    .map((wish) => faultOf(pod, wish, allowed))
    .find((fault) => fault !== undefined);
}

function faultOf(pod: Pod, wish: Asked, allowed: AllowedAnnotations): string | undefined {
  const { annotation, value, field } = wish;
  const say = (expected: string, found: string): string =>
    `annotation ${annotation}: expected ${expected}, found ${JSON.stringify(found)}`;
  const option = Object.hasOwn(options, field) ? options[field as keyof ProbeAnnotations] : undefined;
  if (option === undefined) return say(`${PREFIX}<container>.<kind>.{${Object.keys(options).join(",")}}`, field);
  if (!allowed[option]) return `annotation ${annotation}: set the option ${option} of plugin probe to allow it`;
  const container = allContainers(pod).find(({ name }) => name === wish.container);
  if (container === undefined) return say("the name of a container of this pod", wish.container);
  const kind = probeKinds.find((one) => one === wish.kind);
  if (kind === undefined) return say(probeKinds.join(", "), wish.kind);
  const probe = container[`${kind}Probe`];
  if (probe === undefined) return say(`a container with a ${kind}Probe`, wish.container);
  if (option === "subSecond") {
    if (milliseconds(value) !== undefined) return undefined;
    return say(`a whole number of ${MILLISECONDS.min} to ${MILLISECONDS.max}`, value);
  }
  if (value !== "true" && value !== "false") return say("true or false", value);
  return probe.grpc === undefined ? say("a grpc probe", `${kind}Probe of ${container.name}`) : undefined;
}

function milliseconds(text: string): number | undefined {
  if (!/^\d{1,7}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= MILLISECONDS.min && value <= MILLISECONDS.max ? value : undefined;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/i;

/** The first probe that goes elsewhere than to its own pod, undefined when there is none. Loopback is a host-network pod's own. */
export function foreignHost(pod: Pod): string | undefined {
  for (const container of probedContainers(pod)) {
    for (const kind of probeKinds) {
      const probe = probeOf(container, kind);
      const host = probe?.httpGet?.host ?? probe?.tcpSocket?.host ?? "";
      if (host === "" || (pod.spec.hostNetwork === true && LOOPBACK.test(host))) continue;
      return `${kind}Probe of container ${container.name} goes to host ${JSON.stringify(host)}, but the node allows the pod's own address only`;
    }
  }
  return undefined;
}
