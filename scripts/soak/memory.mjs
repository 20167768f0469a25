// What the samples of an agent's memory and descriptors say.

/** Seconds of an agent's age: what it takes to look at all pods again is over then. */
const WARM = 150;
/** The same for the heap: until then V8 compiles what is called now and then, and pools and tables find their size. */
const HEAP_WARM = 300;

/**
 * The last life is the long one. Slopes are those of it, once the agent is warm; NaN when it was too short. `heaps`: of the same process,
 * `{ age, heapUsed }` in bytes after collections. Descriptors: medians of the first and the last third of that time.
 */
export function memory(samples, heaps) {
  const last = samples.at(-1)?.life;
  const warm = samples.filter(({ life, age }) => life === last && age > WARM);
  const warmHeaps = heaps.filter(({ age }) => age > HEAP_WARM);
  const third = Math.ceil(warm.length / 3);
  const fds = (part) => median(part.map(({ fds: { total } }) => total));
  const resident = slope(warm.map(({ age, rss }) => [age / 3600, rss]));
  const heap = slope(warmHeaps.map(({ age, heapUsed, code }) => [age / 3600, (heapUsed - code) / 2 ** 20]));
  return {
    "minutes of it": rounded((warm.at(-1)?.age - warm[0]?.age) / 60),
    "rss MiB": rounded(median(warm.map(({ rss }) => rss))),
    "rss MiB/h": told(resident),
    "heap MiB": rounded(median(warmHeaps.map(({ heapUsed }) => heapUsed / 2 ** 20))),
    "heap MiB/h": told(heap),
    "fds first": fds(warm.slice(0, third)),
    "fds last": fds(warm.slice(-third)),
  };
}

/** Least squares: `by` and its standard `error`, which takes the points for independent; NaN of too few points. */
export function slope(points) {
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(points.map(([at]) => at)), mean(points.map(([, value]) => value))];
  const spread = points.reduce((sum, [at]) => sum + (at - x) ** 2, 0);
  const by = points.reduce((sum, [at, value]) => sum + (at - x) * (value - y), 0) / spread;
  const rest = points.reduce((sum, [at, value]) => sum + (value - y - by * (at - x)) ** 2, 0);
  return { by, error: Math.sqrt(rest / (points.length - 2) / spread) };
}

/** With twice the standard error: 0 within it is flat as far as can be told. */
function told({ by, error }) {
  return `${rounded(by)} ± ${rounded(2 * error)}`;
}

export function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const rounded = (value) => Math.round(value * 10) / 10;
