/** Requests that the API server answers for this node: tokens of pods, authentication and authorization of callers. */

import type { ObjectName, Reviews, ServiceAccountToken } from "@hooklet/core/subsystem";
import type {
  TokenRequest,
  TokenRequestSpec,
  TokenReview,
  TokenReviewSpec,
  TokenReviewStatus,
} from "kubernetes-types/authentication/v1.js";
import type {
  SubjectAccessReview,
  SubjectAccessReviewSpec,
  SubjectAccessReviewStatus,
} from "kubernetes-types/authorization/v1.js";
import { ApiError } from "../client/api-error.js";
import type { KubeClient } from "../client/client.js";
import { paths } from "../client/paths.js";

export class KubeReviews implements Reviews {
  constructor(private readonly client: Pick<KubeClient, "create">) {}

  /** Rejects with ApiError. */
  async createToken(
    serviceAccount: ObjectName,
    spec: TokenRequestSpec,
    signal: AbortSignal,
  ): Promise<ServiceAccountToken> {
    const path = paths.token(serviceAccount);
    const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", metadata: {}, spec };
    const { spec: given, status } = await this.client.create<TokenRequest>(path, body, { signal });
    if (typeof status?.token !== "string" || status.token === "") throw empty(path, "a token");
    // It may be less than requested.
    const seconds = given?.expirationSeconds;
    return {
      token: status.token,
      expirationTimestamp: String(status.expirationTimestamp),
      ...(typeof seconds === "number" && seconds > 0 && { expirationSeconds: seconds }),
    };
  }

  async reviewToken(spec: TokenReviewSpec, signal: AbortSignal): Promise<TokenReviewStatus> {
    const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec };
    const { status } = await this.client.create<TokenReview>(paths.tokenReviews, body, { signal });
    if (status === undefined) throw empty(paths.tokenReviews, "a status");
    return status;
  }

  async reviewAccess(spec: SubjectAccessReviewSpec, signal: AbortSignal): Promise<SubjectAccessReviewStatus> {
    const body = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", spec };
    const { status } = await this.client.create<SubjectAccessReview>(paths.subjectAccessReviews, body, { signal });
    if (status === undefined) throw empty(paths.subjectAccessReviews, "a status");
    return status;
  }
}

function empty(path: string, expected: string): ApiError {
  return new ApiError(500, "BadAnswer", `the answer of ${path} is incomplete: expected ${expected}`);
}
