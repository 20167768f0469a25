/**
 * The kubelet's HashContainer: FNV-1a over Go's print of the bytes of `{"image":…,"name":…}`. The same number as a
 * kubelet's, so tools that compare it see no change. Pure.
 */
import type { Container } from "@hooklet/manifest";

export function containerHash(container: Container): string {
  const json = JSON.stringify({ image: container.image ?? "", name: container.name });
  return fnv1a(`([]uint8)[${[...Buffer.from(json)].join(" ")}]`);
}

function fnv1a(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash.toString(16);
}
