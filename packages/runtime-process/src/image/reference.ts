/** The one image that is always there. Pure. */

/** The machine's own files. */
export const HOST_IMAGE = "host";

/** `host`, also as `host:latest` and as `docker.io/library/host:latest`. */
export function isHostImage(name: string): boolean {
  return [HOST_IMAGE, `${HOST_IMAGE}:latest`, `docker.io/library/${HOST_IMAGE}:latest`].includes(name);
}
