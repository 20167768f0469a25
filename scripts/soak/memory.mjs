// What the samples of an agent's memory and descriptors say.

/** Seconds of an agent's age: what it takes to look at all pods again is over then. */
const WARM = 150;

/**
 * The last life is the long one. Slopes are those of it, once the agent is warm; NaN when it was too short. `heaps`: of the same process,
 * `{ age, heapUsed }` in bytes after collections. Descriptors: medians of the first and the last third of that time.
 */
export function memory(samples, heaps) {
  const last = samples.at(-1)?.life;
  const warm = samples.filter(({ life, age }) => life === last && age > WARM);
  const warmHeaps = heaps.filter(({ age }) => age > WARM);
  const third = Math.ceil(warm.length / 3);
  const fds = (part) => median(part.map(({ fds: count }) => count));
  return {
    "minutes of it": rounded((warm.at(-1)?.age - warm[0]?.age) / 60),
    "rss MiB": rounded(median(warm.map(({ rss }) => rss))),
    "rss MiB/h": rounded(slope(warm.map(({ age, rss }) => [age / 3600, rss]))),
    "heap MiB": rounded(median(warmHeaps.map(({ heapUsed }) => heapUsed / 2 ** 20))),
    "heap MiB/h": rounded(slope(warmHeaps.map(({ age, heapUsed }) => [age / 3600, heapUsed / 2 ** 20]))),
    "fds first": fds(warm.slice(0, third)),
    "fds last": fds(warm.slice(-third)),
  };
}

/** Least squares; NaN of fewer than two points. */
export function slope(points) {
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(points.map(([at]) => at)), mean(points.map(([, value]) => value))];
  const spread = points.reduce((sum, [at]) => sum + (at - x) ** 2, 0);
  return points.reduce((sum, [at, value]) => sum + (at - x) * (value - y), 0) / spread;
}

export function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const rounded = (value) => Math.round(value * 10) / 10;
