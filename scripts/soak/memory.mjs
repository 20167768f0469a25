// What the samples of an agent's memory and descriptors say.

/** Seconds of an agent's age: the first check of all pods is over then. */
const WARM = 150;
/** The same for memory: until then V8 compiles what is called now and then, and pools and tables find their size. */
const MEMORY_WARM = 300;
const MIB = 2 ** 20;

/**
 * The last life is the long one. Slopes are those of it, once the agent is warm; NaN when it was too short. `heaps`: of the same process,
 * `{ age, heapUsed, code, objects, rss }` in bytes after collections. Descriptors: medians of the first and the last third of that time.
 */
export function memory(samples, heaps) {
  const last = samples.at(-1)?.life;
  const warm = samples.filter(({ life, age }) => life === last && age > WARM);
  const clean = heaps.filter(({ age }) => age > MEMORY_WARM);
  const third = Math.ceil(warm.length / 3);
  const fds = (part) => median(part.map(({ fds: { total } }) => total));
  const grows = (value) => reported(slope(clean.map((sample) => [sample.age / 3600, value(sample)])));
  return {
    "minutes of it": rounded((clean.at(-1)?.age - clean[0]?.age) / 60),
    "rss MiB": rounded(median(clean.map(({ rss }) => rss / MIB))),
    "rss MiB/h": grows(({ rss }) => rss / MIB),
    "heap MiB": rounded(median(clean.map(({ heapUsed }) => heapUsed / MIB))),
    "heap MiB/h": grows(({ heapUsed, code }) => (heapUsed - code) / MIB),
    objects: median(clean.map(({ objects }) => objects)),
    "objects/h": grows(({ objects }) => objects),
    "fds first": fds(warm.slice(0, third)),
    "fds last": fds(warm.slice(-third)),
    load: rounded(median(samples.map(({ load }) => load))),
    "load most": rounded(Math.max(...samples.map(({ load }) => load))),
  };
}

/**
 * Least squares: `by` and its standard `error`; NaN of too few points. A rest that is like the one before it says less than a new one:
 * the error is that of as many points as are independent, by the correlation of neighbours (the first order autoregressive model).
 */
export function slope(points) {
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const [x, y] = [mean(points.map(([at]) => at)), mean(points.map(([, value]) => value))];
  const spread = sum(points.map(([at]) => (at - x) ** 2));
  const by = sum(points.map(([at, value]) => (at - x) * (value - y))) / spread;
  const rests = points.map(([at, value]) => value - y - by * (at - x));
  const squares = sum(rests.map((rest) => rest ** 2));
  const alike = squares === 0 ? 0 : Math.max(0, sum(rests.slice(1).map((rest, at) => rest * rests[at])) / squares);
  const error = Math.sqrt(squares / (points.length - 2) / spread);
  return { by, error: error * Math.sqrt((1 + alike) / (1 - alike)) };
}

/** With twice the standard error: 0 within it is flat within the precision. */
function reported({ by, error }) {
  return `${rounded(by)} ± ${rounded(2 * error)}`;
}

export function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const rounded = (value) => Math.round(value * 10) / 10;
