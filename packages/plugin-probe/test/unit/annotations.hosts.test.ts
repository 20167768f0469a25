import type { Container, Pod } from "@hooklet/core";
import { aContainer, aPod } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import { foreignHost } from "../../src/annotations.js";

const withProbe = (probe: Partial<Container>, spec: Partial<Pod["spec"]> = {}): Pod =>
  aPod({ containers: [aContainer({ name: "main", ...probe })], spec });
const http = (host?: string) => ({ httpGet: { port: 80, ...(host !== undefined && { host }) } });

describe("with the option `hosts: pod`", () => {
  test.each([
    { name: "a probe without a host goes to its pod", pod: withProbe({ livenessProbe: http() }) },
    { name: "as does one with an empty host", pod: withProbe({ livenessProbe: http("") }) },
    { name: "an exec probe goes nowhere", pod: withProbe({ livenessProbe: { exec: { command: ["true"] } } }) },
    ...["localhost", "LOCALHOST", "127.0.0.1", "127.12.200.3", "::1", "[::1]"].map((host) => ({
      name: `${host} is a host-network pod's own`,
      pod: withProbe({ livenessProbe: http(host) }, { hostNetwork: true }),
    })),
  ])("$name", ({ pod }) => {
    expect(foreignHost(pod)).toBeUndefined();
  });

  test.each([
    {
      name: "the node's loopback is not the pod's",
      pod: withProbe({ livenessProbe: http("127.0.0.1") }),
      host: "127.0.0.1",
    },
    {
      name: "another machine is not, on the host's network either",
      pod: withProbe({ livenessProbe: http("169.254.169.254") }, { hostNetwork: true }),
      host: "169.254.169.254",
    },
    {
      name: "a name that begins or ends like loopback is not",
      pod: withProbe({ livenessProbe: http("127.0.0.1.example.com") }, { hostNetwork: true }),
      host: "127.0.0.1.example.com",
    },
    {
      name: "nor one that ends so",
      pod: withProbe({ livenessProbe: http("my.localhost") }, { hostNetwork: true }),
      host: "my.localhost",
    },
    {
      name: "nor a number of too many digits",
      pod: withProbe({ livenessProbe: http("127.0.0.1000") }, { hostNetwork: true }),
      host: "127.0.0.1000",
    },
    {
      name: "a TCP probe is judged as well",
      pod: withProbe({ livenessProbe: { tcpSocket: { port: 80, host: "10.0.0.1" } } }),
      host: "10.0.0.1",
    },
  ])("$name", ({ pod, host }) => {
    expect(foreignHost(pod)).toBe(
      `livenessProbe of container main goes to host "${host}", but the node allows the pod's own address only`,
    );
  });

  test("the first probe that goes elsewhere is named, in whichever container and of whichever kind", () => {
    const pod = aPod({
      containers: [
        aContainer({ name: "good", livenessProbe: http() }),
        aContainer({ name: "bad", readinessProbe: http("a.example"), livenessProbe: http("b.example") }),
      ],
    });
    expect(foreignHost(pod)).toMatch(/^readinessProbe of container bad goes to host "a\.example"/);
  });
});
