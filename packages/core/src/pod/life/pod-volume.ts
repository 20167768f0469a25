/** Which pod has a path among its volumes: by the layout, the path is not touched. Pure. */

/** The uid of the pod below whose volumes a path lies, by the kubelet's layout; undefined: it lies elsewhere. */
export function podVolumeOf(file: string): string | undefined {
  return /\/(?:leaving-)?pods\/([^/]+)\/volume(?:s|-subpaths)\//.exec(`${file}/`)?.[1];
}
