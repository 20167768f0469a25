/** The checksum of the kubelet's checkpoints and containers (pkg/util/hash DeepHashObject). Pure. */

/** FNV-1a, 32 bit, over a Go value as the spew package prints it with `%#v`. */
export function goChecksum(printed: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(printed)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
