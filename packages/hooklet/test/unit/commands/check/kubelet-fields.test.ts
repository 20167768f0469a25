import { describe, expect, test } from "@jest/globals";
import { fromKubelet } from "../../../../src/commands/check/kubelet-fields.js";

const CONTAINERD = { use: "cri", options: { endpoint: "unix:///run/containerd/containerd.sock" } };

describe("a KubeletConfiguration", () => {
  const known = {
    node: new Set(["maxPods", "clusterDNS", "evictionHard"]),
    plugins: new Map([
      ["imagegc", new Set(["imageGCHighThresholdPercent"])],
      ["cgroups", new Set(["podPidsLimit", "cgroupRoot"])],
    ]),
  };

  test("finds its place field by field, and what has none is named with the reason", () => {
    const configuration = {
      apiVersion: "kubelet.config.k8s.io/v1beta1",
      kind: "KubeletConfiguration",
      maxPods: 60,
      clusterDNS: ["10.96.0.10"],
      staticPodPath: "/etc/kubernetes/manifests",
      healthzPort: 1,
      registerWithTaints: [{ key: "a", effect: "NoSchedule", timeAdded: "2026-01-01T00:00:00Z" }],
      containerRuntimeEndpoint: "unix:///x.sock",
      imageGCHighThresholdPercent: 80,
      podPidsLimit: 5,
      authentication: { anonymous: { enabled: false } },
      authorization: { mode: "AlwaysAllow", webhook: { cacheAuthorizedTTL: "0s" } },
      tlsMinVersion: "VersionTLS12",
      rotateCertificates: true,
      hairpinMode: "none",
      seccompDefault: true,
      maxPod: 1,
      readOnlyPort: 10_255,
    };
    expect(fromKubelet(configuration, known)).toEqual({
      rc: {
        node: { maxPods: 60, clusterDNS: ["10.96.0.10"], taints: [{ key: "a", effect: "NoSchedule" }] },
        sources: { manifests: "/etc/kubernetes/manifests" },
        port: 1,
        readOnlyPort: 10_255,
        server: {
          authentication: { anonymous: { enabled: false } },
          authorization: { mode: "AlwaysAllow", webhook: {} },
        },
        runtime: { use: "cri", options: { endpoint: "unix:///x.sock" } },
        plugins: [
          ["imagegc", { imageGCHighThresholdPercent: 80 }],
          ["cgroups", { podPidsLimit: 5 }],
        ],
      },
      left: [
        { field: "tlsMinVersion", why: expect.stringContaining("TLS 1.2") },
        { field: "rotateCertificates", why: "it is sources.kube.rotateCertificates, beside sources.kube.kubeconfig" },
        { field: "hairpinMode", why: "hooklet has nothing like it" },
        { field: "seccompDefault", why: expect.stringMatching(/^less safe: .*Unconfined/) },
        { field: "maxPod", why: "the kubelet 1.36 has no such field: correct a typing error, or leave it out" },
        { field: "readOnlyPort's address", why: "port 10255 is on 127.0.0.1, not on every address" },
      ],
    });
  });

  test.each([
    ["asks an API server that nobody named", {}, /Add sources\.kube\.kubeconfig first/],
    ["is off, whoever may do what", { enableServer: false, authorization: { mode: "AlwaysAllow" } }, /enableServer/],
  ])("no server is made of its fields where it %s", (_name, more, why) => {
    const { rc, left } = fromKubelet({ port: 10_250, authentication: {}, ...more }, known);
    expect(rc).toEqual({ runtime: CONTAINERD });
    expect(left.map(({ field }) => field)).toEqual(expect.arrayContaining(["port", "authentication"]));
    for (const one of left) expect(one.why).toMatch(why);
  });

  test.each([
    ["a zero that means the default", { fileCheckFrequency: "0s", staticPodPath: "" }, {}],
    ["written otherwise", { httpCheckFrequency: "0h0m0s", fileCheckFrequency: 0 }, {}],
    ["a time that is none", { fileCheckFrequency: "10s" }, { sources: { fileCheckFrequency: "10s" } }],
    ["a zero that means off", { readOnlyPort: 0 }, { readOnlyPort: 0 }],
  ])("what the kubelet puts its default for is left out: %s", (_name, configuration, rc) => {
    expect(fromKubelet(configuration, known)).toEqual({ rc: { runtime: CONTAINERD, ...rc }, left: [] });
  });

  test.each([
    ["no endpoint", {}],
    ["an empty one, as kubeadm writes it", { containerRuntimeEndpoint: "" }],
    ["none at all, as null", { containerRuntimeEndpoint: null }],
  ])("with %s the runtime is containerd, the kubelet's default, not local processes", (_name, configuration) => {
    expect(fromKubelet(configuration, known)).toEqual({ rc: { runtime: CONTAINERD }, left: [] });
  });
});
