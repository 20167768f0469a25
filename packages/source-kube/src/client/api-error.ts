/** An error response of the API server. Pure. */

/** No answer, or not in time: no status of HTTP. */
export const UNREACHABLE = 0;

export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code = "KUBE_API";

  constructor(
    /** Of HTTP; 0 when there was no answer. */
    readonly status: number,
    /** `NotFound`, `Conflict`, `Expired`, ...; of metav1.Status. */
    readonly reason: string,
    message: string,
    /** Retry-After of the response. */
    readonly retryAfterSeconds?: number,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
  }
}

/** By its code, not its class: two copies of the package may be loaded. */
export function isApiError(error: unknown, ...statuses: readonly number[]): error is ApiError {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "KUBE_API") return false;
  return statuses.length === 0 || statuses.includes((error as ApiError).status);
}

/** Whether a retry may succeed: no answer, too many requests, a server error. */
export function isPassing(error: unknown): boolean {
  return isApiError(error) && (error.status === UNREACHABLE || error.status === 429 || error.status >= 500);
}

/** A history that the server has no more: `resourceVersion` is too old. */
export function isGone(error: unknown): boolean {
  return isApiError(error, 410) || (isApiError(error) && (error.reason === "Expired" || error.reason === "Gone"));
}

/** The answer as an error. `body`: its text, a metav1.Status as a rule. `what`: `GET /api/v1/nodes/a`. */
export function answerError(what: string, status: number, body: string, retryAfter?: string): ApiError {
  const { reason, message } = statusOf(body);
  const seconds = retryAfter === undefined ? Number.NaN : Number(retryAfter);
  return new ApiError(
    status,
    reason ?? "",
    `${what} was answered with ${status}: ${message ?? (body.slice(0, 200) || "no words")}`,
    Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds, MAX_RETRY_AFTER) : undefined,
  );
}

/** Seconds. */
const MAX_RETRY_AFTER = 60;

/** What is known of a metav1.Status in an ERROR of a watch. */
export function watchError(what: string, object: unknown): ApiError {
  const { code, reason, message } = (object ?? {}) as { code?: unknown; reason?: unknown; message?: unknown };
  return new ApiError(
    typeof code === "number" ? code : 500,
    typeof reason === "string" ? reason : "",
    `${what} was ended by the server: ${typeof message === "string" ? message : "no words"}`,
  );
}

function statusOf(body: string): { readonly reason?: string; readonly message?: string } {
  try {
    const { reason, message } = JSON.parse(body) as { reason?: unknown; message?: unknown };
    return {
      ...(typeof reason === "string" && { reason }),
      ...(typeof message === "string" && { message: message.slice(0, 2_000) }),
    };
  } catch {
    return {};
  }
}
