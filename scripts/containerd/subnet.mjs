// The network of an instance's pods.
const FIRST = 200;
const COUNT = 40;

/**
 * A subnet `10.x.0.0/16` that nothing else uses: with two bridges in one subnet the pods of the second are out of reach.
 * `name`: where it begins to look, so that an instance mostly has the same one; `taken`: texts that name addresses in use.
 *
 * @throws Error when all are taken
 */
export function freeSubnet(name, taken) {
  let hash = 0;
  for (const char of name) hash = (hash * 31 + char.charCodeAt(0)) % COUNT;
  for (let step = 0; step < COUNT; step += 1) {
    const prefix = `10.${FIRST + ((hash + step) % COUNT)}.`;
    if (!taken.some((text) => new RegExp(`(?<![\\d.])${prefix.replaceAll(".", "\\.")}`).test(text)))
      return `${prefix}0.0/16`;
  }
  throw new Error(
    `all networks from 10.${FIRST}.0.0/16 to 10.${FIRST + COUNT - 1}.0.0/16 are in use: stop some of scripts/containerd.mjs`,
  );
}
