// What Stryker has found so far: a run that takes an hour and is cut short has told what it knew.
/** Each mutant once it was looked at, in the order in which they were. */
export const told = [];

class Told {
  onMutantTested(mutant) {
    told.push(mutant);
  }
}

export const strykerPlugins = [{ kind: "Reporter", name: "told", injectableClass: Told }];
