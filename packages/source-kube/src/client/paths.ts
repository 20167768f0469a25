/** Where objects lie in the API. Pure. */
import type { ObjectName } from "@hooklet/core/subsystem";

const part = encodeURIComponent;

export const paths = {
  node: (name: string) => `/api/v1/nodes/${part(name)}`,
  nodes: "/api/v1/nodes",
  lease: (name: string) => `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${part(name)}`,
  leases: "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases",
  /** Of all namespaces. */
  allPods: "/api/v1/pods",
  pods: (namespace: string) => `/api/v1/namespaces/${part(namespace)}/pods`,
  pod: ({ namespace, name }: ObjectName) => `/api/v1/namespaces/${part(namespace)}/pods/${part(name)}`,
  events: (namespace: string) => `/api/v1/namespaces/${part(namespace)}/events`,
  event: ({ namespace, name }: ObjectName) => `/api/v1/namespaces/${part(namespace)}/events/${part(name)}`,
  configMaps: (namespace: string) => `/api/v1/namespaces/${part(namespace)}/configmaps`,
  secrets: (namespace: string) => `/api/v1/namespaces/${part(namespace)}/secrets`,
  allServices: "/api/v1/services",
  runtimeClasses: "/apis/node.k8s.io/v1/runtimeclasses",
  token: ({ namespace, name }: ObjectName) =>
    `/api/v1/namespaces/${part(namespace)}/serviceaccounts/${part(name)}/token`,
  certificateSigningRequests: "/apis/certificates.k8s.io/v1/certificatesigningrequests",
  certificateSigningRequest: (name: string) => `/apis/certificates.k8s.io/v1/certificatesigningrequests/${part(name)}`,
  tokenReviews: "/apis/authentication.k8s.io/v1/tokenreviews",
  subjectAccessReviews: "/apis/authorization.k8s.io/v1/subjectaccessreviews",
} as const;
