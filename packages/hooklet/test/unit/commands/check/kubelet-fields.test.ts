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

  test.each<[field: string, rc: object]>([
    ["staticPodPath", { sources: { manifests: "said" } }],
    ["staticPodURL", { sources: { manifestUrl: "said" } }],
    ["staticPodURLHeader", { sources: { manifestUrlHeader: "said" } }],
    ["fileCheckFrequency", { sources: { fileCheckFrequency: "said" } }],
    ["httpCheckFrequency", { sources: { httpCheckFrequency: "said" } }],
    ["healthzPort", { port: "said" }],
    ["registerWithTaints", { node: { taints: "said" } }],
    ["address", { server: { address: "said" } }],
    ["port", { server: { port: "said" } }],
    ["streamingConnectionIdleTimeout", { server: { streamingConnectionIdleTimeout: "said" } }],
    ["tlsCertFile", { server: { tlsCertFile: "said" } }],
    ["tlsPrivateKeyFile", { server: { tlsPrivateKeyFile: "said" } }],
    ["authentication", { server: { authentication: "said" } }],
    ["maxPods", { node: { maxPods: "said" } }],
    ["cgroupRoot", { plugins: [["cgroups", { cgroupRoot: "said" }]] }],
  ])("%s goes where hooklet has it: %j", (field, rc) => {
    const authorization = { mode: "AlwaysAllow" };
    const { server, ...others } = rc as { server?: object };
    expect(fromKubelet({ [field]: "said", authorization }, known)).toEqual({
      rc: { runtime: CONTAINERD, ...others, server: { ...server, authorization } },
      left: [],
    });
  });

  test("taints that are no objects are left for the check of the rc file", () => {
    const { rc } = fromKubelet({ registerWithTaints: ["key=value:NoSchedule"] }, known);
    expect(rc.node).toEqual({ taints: ["key=value:NoSchedule"] });
  });

  test.each([
    "rotateCertificates",
    "serverTLSBootstrap",
    "registerNode",
    "providerID",
    "nodeStatusUpdateFrequency",
    "nodeStatusReportFrequency",
    "nodeLeaseDurationSeconds",
    "kubeAPIQPS",
    "kubeAPIBurst",
    "eventRecordQPS",
    "eventBurst",
  ])("%s needs a kubeconfig first", (field) => {
    const why = `it is sources.kube.${field}, beside sources.kube.kubeconfig`;
    expect(fromKubelet({ [field]: 7 }, known).left).toEqual([{ field, why }]);
  });

  test.each([
    ["tlsCipherSuites", /TLS 1\.2 and newer/],
    ["healthzBindAddress", /127\.0\.0\.1.*healthzPort and healthzBindAddress/],
    ["runtimeRequestTimeout", /runtime\.options\.runtimeRequestTimeout/],
    ["cgroupDriver", /runtime says/],
    ["featureGates", /RuntimeClassInImageCriApi/],
    ["syncFrequency", /when something happens/],
    ["logging", /--log-format and --log-level/],
    ["podCIDR", /nothing like it/],
    ["userNamespaces", /nothing like it/],
  ])("%s: the answer says what to do in its place", (field, why) => {
    expect(fromKubelet({ [field]: "said" }, known).left).toEqual([{ field, why: expect.stringMatching(why) }]);
  });
});
