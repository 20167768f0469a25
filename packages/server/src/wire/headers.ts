/** Headers of every answer. */
export const ANSWER_HEADERS = { "x-content-type-options": "nosniff", "cache-control": "no-store" } as const;
/** Of answers that are `{error, code}`. */
export const JSON_TYPE = "application/json; charset=utf-8";
