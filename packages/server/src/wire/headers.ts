/** Headers of every answer. */
export const ANSWER_HEADERS = { "x-content-type-options": "nosniff", "cache-control": "no-store" } as const;
/** Of answers that are `{error, code}`. */
export const JSON_TYPE = "application/json; charset=utf-8";
/** Of errors that an API server hands on. */
export const TEXT_TYPE = "text/plain; charset=utf-8";
