import { invalid } from "../errors.js";
import { annotationName, cgroupParent, resources, text } from "./checks.js";
import { annotationField, Claims, sandboxField } from "./claims.js";
/** A sandbox to which nobody adds anything. */
export const emptySandboxPlan = { cgroupParent: "", annotations: {} };
/** Collects what plugins add to one sandbox before it is made. Each field has one owner. */
export class SandboxPlanBuilder {
  facts;
  #claims = new Claims("sandbox");
  #annotations = new Map();
  #cgroupParent = "";
  #resources;
  #overhead;
  constructor(facts) {
    this.facts = facts;
  }
  /** The plan as `plugin` sees it; every method throws once `over` is aborted. */
  as(plugin, signal, over = signal) {
    const own =
      (set) =>
      (...values) => {
        if (over.aborted || signal.aborted) {
          throw invalid(
            `The sandbox plan of plugin "${plugin}"`,
            "calls while its beforeSandbox runs",
            "a call after that",
          );
        }
        set(...values);
      };
    return {
      ...this.facts,
      signal,
      setCgroupParent: own((path) => {
        const clean = cgroupParent(path);
        this.#claims.claim(sandboxField("cgroup parent"), plugin);
        this.#cgroupParent = clean;
      }),
      setResources: own((value) => {
        const checked = resources("resources of a sandbox", value);
        this.#claims.claim(sandboxField("resources"), plugin);
        this.#resources = checked;
      }),
      setOverhead: own((value) => {
        const checked = resources("overhead of a sandbox", value);
        this.#claims.claim(sandboxField("overhead"), plugin);
        this.#overhead = checked;
      }),
      setAnnotation: own((name, value) => {
        annotationName(name);
        text(`annotation ${name}`, value);
        this.#claims.claim(annotationField(name), plugin);
        this.#annotations.set(name, value);
      }),
    };
  }
  result() {
    return {
      cgroupParent: this.#cgroupParent,
      ...(this.#resources !== undefined && { resources: this.#resources }),
      ...(this.#overhead !== undefined && { overhead: this.#overhead }),
      annotations: Object.fromEntries(this.#annotations),
    };
  }
}
