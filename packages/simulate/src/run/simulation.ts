/** Runs a scenario from its start to its end. */
import type { PlanQuestion } from "@hooklet/cli/extend";
import { type Decision, errorText } from "@hooklet/core";
import { loadedFiles } from "../config/scenario-config.js";
import { Figures } from "../records/figures.js";
import { type SimulationRecord, seconds } from "../records/record.js";
import type { TimedExpectation } from "../scenario/timed-steps.js";
import { act } from "./actions.js";
import { difference, type Snapshot, subjectOf } from "./expectations.js";
import { insideOf } from "./inside.js";
import type { Failure, Outcome } from "./outcome.js";
import { type NodeParts, ScenarioNode } from "./scenario-node.js";
import { finalState, snapshot, startSampling } from "./snapshot.js";

export interface SimulationInput extends NodeParts {
  /** Milliseconds; the scenario's own end where it is later or left out. */
  readonly until?: number | undefined;
  /** Times at which the agent is restarted, beside what the scenario says. */
  readonly restarts?: readonly number[] | undefined;
  /** So many moments of the node are part of the outcome, evenly spread. */
  readonly samples?: number | undefined;
  /** Decisions about this are part of the outcome. */
  readonly explain?: { readonly kind: string; readonly name: string } | undefined;
  /** What a plugin would decide at the end is part of the outcome. */
  readonly plan?: PlanQuestion | undefined;
  readonly listener?: ((record: SimulationRecord) => void) | undefined;
}

/** The same input gives the same records. @throws NodeAgentError when the agent cannot start */
export async function simulate(input: SimulationInput): Promise<Outcome> {
  const node = new ScenarioNode(input);
  try {
    return await run(node, input);
  } finally {
    await node.stop();
  }
}

async function run(node: ScenarioNode, input: SimulationInput): Promise<Outcome> {
  const { scenario, listener } = input;
  const until = Math.min(input.until ?? scenario.until, scenario.until);
  const figures = new Figures();
  const records: SimulationRecord[] = [];
  const wanted = wantedOf(scenario.expectations);
  node.recorder.listen((record) => {
    figures.add(record);
    if (wanted(record)) records.push(record);
    listener?.(record);
  });
  const failedSteps: Failure[] = [];
  const failures = new Map<TimedExpectation, Failure>();
  const check = async (due: readonly TimedExpectation[], at: number): Promise<void> => {
    if (due.length === 0) return;
    const seen: Snapshot = { ...(await snapshot(node)), records, inside: await insideOf(node, due) };
    for (const one of due) {
      const text = difference(one.expectation, seen);
      if (text === undefined) continue;
      failures.set(one, {
        path: `expect[${one.index}]`,
        ...(one.line === undefined ? {} : { line: one.line }),
        t: seconds(at),
        what: subjectOf(one.expectation),
        difference: text,
      });
    }
  };
  await node.start();
  const samples = input.samples === undefined ? undefined : startSampling(node, until, input.samples);
  // From the scenario's beginning: what the start of the agent took does not move the timeline.
  const stops = stopsOf(input, until);
  for (const { at, steps, expectations, restart } of stops) {
    await node.clock.advance(Math.max(0, at - node.recorder.now));
    for (const step of steps) {
      try {
        await act(node, step);
      } catch (error) {
        if (step.mayFail) continue;
        const [what = ""] = Object.keys(step.step).filter((key) => key !== "at");
        failedSteps.push({ path: `timeline[${step.index}]`, t: seconds(at), what, difference: errorText(error) });
      }
      await node.clock.settle();
    }
    if (restart) await node.restart();
    await check(expectations, at);
  }
  await node.clock.advance(Math.max(0, until - node.recorder.now));
  await check(
    scenario.expectations.filter(({ at }) => at === undefined),
    until,
  );
  const final = await finalState(node);
  return {
    description: scenario.spec.description ?? "",
    until: seconds(until),
    expectations: scenario.expectations
      .filter(({ at }) => at === undefined || at <= until)
      .map((expectation) => ({ expectation, failure: failures.get(expectation) })),
    failedSteps,
    loads: loadedFiles(input.config, scenario.file),
    figures: figures.table(final),
    final,
    faults: node.problems.faults(),
    problems: node.problems.others(),
    ...(samples === undefined ? {} : { samples }),
    ...(input.explain === undefined ? {} : { explained: await explained(node, input.explain) }),
    ...(input.plan === undefined ? {} : { planned: await planned(node, input.plan) }),
  };
}

/** Only what some expectation reads is kept: a long run records far more than fits into memory. */
function wantedOf(expectations: readonly TimedExpectation[]): (record: SimulationRecord) => boolean {
  const reasons = new Set(expectations.flatMap(({ expectation }) => expectation.event ?? []));
  const outcomes = expectations.flatMap(({ expectation }) => expectation.decision ?? []);
  return (record) =>
    (record.kind === "event" && reasons.has(record.reason)) ||
    (record.kind === "decision" && outcomes.some((part) => record.outcome.includes(part)));
}

interface Stop {
  readonly at: number;
  readonly steps: SimulationInput["scenario"]["steps"];
  readonly expectations: readonly TimedExpectation[];
  readonly restart: boolean;
}

function stopsOf({ scenario, restarts = [] }: SimulationInput, until: number): readonly Stop[] {
  const steps = byTime(scenario.steps);
  const expectations = byTime(scenario.expectations);
  const again = new Set(restarts);
  const times = [...new Set([...steps.keys(), ...expectations.keys(), ...again])].filter((at) => at <= until);
  return times
    .sort((a, b) => a - b)
    .map((at) => ({
      at,
      steps: steps.get(at) ?? [],
      expectations: expectations.get(at) ?? [],
      restart: again.has(at),
    }));
}

function byTime<One extends { readonly at: number | undefined }>(
  all: readonly One[],
): ReadonlyMap<number, readonly One[]> {
  const found = new Map<number, One[]>();
  for (const one of all) {
    if (one.at === undefined) continue;
    const own = found.get(one.at);
    if (own === undefined) found.set(one.at, [one]);
    else own.push(one);
  }
  return found;
}

/** As on a live agent: what was decided, then what holds now. */
async function explained(
  { api }: ScenarioNode,
  { kind, name }: { readonly kind: string; readonly name: string },
): Promise<readonly Decision[]> {
  return [...api.explain(kind, name), ...(await api.explainNow(kind, name))];
}

function planned(
  { api }: ScenarioNode,
  { plugin, manifest, arguments: given }: PlanQuestion,
): Promise<readonly Decision[]> {
  return api.plan(plugin, { ...(manifest !== undefined && { manifest }), arguments: given });
}
