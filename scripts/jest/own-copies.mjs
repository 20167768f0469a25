// A resolve hook: what lies in a folder `test` is loaded again for each test file, since it may register hooks of jest or keep state of
// its own; sources are loaded once for all files of a worker.
const TEST_FOLDER = /\/(?:packages\/[^/]+\/)?(?:test|conformance|fuzz)\/(?!.*node_modules)/;

export async function resolve(specifier, context, nextResolve) {
  const resolved = await nextResolve(specifier, context);
  const run = /[?&](run=\d+)$/.exec(context.parentURL ?? "")?.[1];
  if (run === undefined || resolved.url.includes("?") || !resolved.url.startsWith("file:")) return resolved;
  return TEST_FOLDER.test(resolved.url) && /\.m?ts$/.test(resolved.url)
    ? { ...resolved, url: `${resolved.url}?${run}` }
    : resolved;
}
