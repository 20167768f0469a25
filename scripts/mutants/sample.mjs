// `--one-in N`: lets every Nth mutant through, so that a busy machine gets an estimate of the score, and some survivors, in a part of the time.
const oneIn = Number(process.env.HOOKLET_MUTANTS_ONE_IN ?? 1);

/** The same ones each time, spread over all files: mutants are numbered in the order of their places. */
export function inSample({ id }, every = oneIn) {
  return Number(id) % every === 0;
}

/** As Stryker wants a checker: what does not "compile" is not run. */
class Sample {
  async init() {}

  async group(mutants) {
    return [mutants.map(({ id }) => id)];
  }

  async check(mutants) {
    const left = { status: "compileError", reason: "not in the sample" };
    return Object.fromEntries(mutants.map((one) => [one.id, inSample(one) ? { status: "passed" } : left]));
  }
}

export const strykerPlugins = [{ kind: "Checker", name: "sample", injectableClass: Sample }];
