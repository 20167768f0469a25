/** Image names as docker reads them. Pure. */
import { RuntimeError } from "@hooklet/cri-api";

const DOMAIN = /^(?:localhost|[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+|\[[0-9a-fA-F:]+\]|[A-Za-z0-9-]+(?=:\d))(?::\d{1,5})?$/;
const PATH = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;
const TAG = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;
const DIGEST = /^[a-z0-9]+(?:[.+_-][a-z0-9]+)*:[0-9a-fA-F]{32,}$/;

export interface ImageReference {
  /** `docker.io/library/web` */
  readonly repository: string;
  readonly tag?: string;
  readonly digest?: string;
}

/** `web` = `docker.io/library/web:latest`. Throws `invalid-image-name`. */
export function parseReference(name: string): ImageReference {
  const [beforeDigest = "", digest, more] = name.split("@");
  const colon = beforeDigest.lastIndexOf(":");
  const tagged = colon > beforeDigest.lastIndexOf("/");
  const tag = tagged ? beforeDigest.slice(colon + 1) : undefined;
  const repository = withDomain(tagged ? beforeDigest.slice(0, colon) : beforeDigest);
  const slash = repository.indexOf("/");
  const fine =
    name.length <= 512 &&
    more === undefined &&
    DOMAIN.test(repository.slice(0, slash)) &&
    PATH.test(repository.slice(slash + 1)) &&
    repository.length <= 255 &&
    (tag === undefined || TAG.test(tag)) &&
    (digest === undefined || DIGEST.test(digest));
  if (!fine) {
    throw new RuntimeError(
      "invalid-image-name",
      `${JSON.stringify(name.slice(0, 512))} is no image name; expected REPOSITORY[:TAG][@DIGEST] in lower case, for example web:1 or registry.example/team/web:1`,
    );
  }
  if (digest !== undefined) return { repository, digest, ...(tag !== undefined && { tag }) };
  return { repository, tag: tag ?? "latest" };
}

/** The one spelling under which a name is kept: with a digest the tag does not count. */
export function canonicalName(name: string): string {
  const { repository, tag, digest } = parseReference(name);
  return digest === undefined ? `${repository}:${tag}` : `${repository}@${digest}`;
}

const HUB = "docker.io";
/** What very old tools call it. */
const OLD_HUB = "index.docker.io";

function withDomain(name: string): string {
  const slash = name.indexOf("/");
  const first = slash < 0 ? "" : name.slice(0, slash);
  const isDomain = first === "localhost" || /[.:[]/.test(first) || first !== first.toLowerCase();
  if (isDomain && first !== HUB && first !== OLD_HUB) return name;
  const path = isDomain ? name.slice(slash + 1) : name;
  return path.includes("/") ? `${HUB}/${path}` : `${HUB}/library/${path}`;
}
