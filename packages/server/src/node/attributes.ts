/** The authorization attributes of a request (the kubelet's GetRequestAttributes). Pure. */

const VERBS: Readonly<Record<string, string>> = {
  POST: "create",
  GET: "get",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

const FINE: readonly (readonly [path: string, subresource: string])[] = [
  ["/pods", "pods"],
  ["/healthz", "healthz"],
  ["/configz", "configz"],
  ["/runningpods", "pods"],
];
const COARSE: readonly (readonly [path: string, subresource: string])[] = [
  ["/stats", "stats"],
  ["/metrics", "metrics"],
  ["/logs", "log"],
  ["/checkpoint", "checkpoint"],
  ["/statusz", "statusz"],
  ["/flagz", "configz"],
];

export interface Asked {
  readonly verb: string;
  /** One of them is enough. */
  readonly subresources: readonly string[];
}

/** Path of a request's target. An absolute URL, as proxies send it, is equal to its path. */
export function pathOf(target: string): string {
  const path = target.replace(/^https?:\/\/[^/?]*/i, "").split("?", 1)[0];
  return path || "/";
}

export function asked(method: string, path: string): Asked {
  const found = (table: typeof FINE): readonly string[] =>
    table.filter(([prefix]) => path === prefix || path.startsWith(`${prefix}/`)).map(([, subresource]) => subresource);
  const coarse = found(COARSE);
  return {
    verb: VERBS[method] ?? "",
    subresources: [...found(FINE), ...(coarse.length > 0 ? coarse : ["proxy"])],
  };
}
