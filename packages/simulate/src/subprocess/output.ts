/** What a run prints while it runs, and at its end. */

import { escapeControls, type Output, quietJson } from "@hooklet/cli/extend";
import { Lines } from "../print/lines.js";
import { failureText, figureLines, finalLines, verdictText } from "../print/summary.js";
import type { SimulationRecord } from "../records/record.js";
import { subjectOf } from "../run/expectations.js";
import { failuresOf, type Outcome } from "../run/outcome.js";
import type { Format } from "./protocol.js";

/** Lines that are gathered before they are written. */
const TOGETHER = 256;

export interface RunPrinter {
  record(record: SimulationRecord): void;
  end(file: string, outcome: Outcome): void;
}

/** Writes do not wait: the stream keeps what its reader has not taken. */
export function printer(format: Format, out: Pick<Output, "write">): RunPrinter {
  const waiting: string[] = [];
  const flush = (): void => {
    if (waiting.length > 0) out.write(`${waiting.join("\n")}\n`);
    waiting.length = 0;
  };
  const line = (text: string): void => {
    waiting.push(text);
    if (waiting.length >= TOGETHER) flush();
  };
  const said = (text: string): void => line(escapeControls(text));
  const lines = new Lines(format === "events" ? "all" : "outcomes");
  const isForPeople = format === "table" || format === "events";
  return {
    record(record) {
      if (format === "jsonl") return line(quietJson(JSON.stringify(record)));
      const text = isForPeople ? lines.line(record) : undefined;
      if (text !== undefined) said(text);
    },
    end(file, outcome) {
      if (format === "junit") line(junitText(file, outcome));
      if (isForPeople) {
        const end = ["", ...finalLines(outcome.final), "", ...figureLines(outcome.figures), "", verdictText(outcome)];
        for (const text of end) said(text);
        for (const failure of failuresOf(outcome)) said(`  ${failureText(file, failure)}`);
      }
      flush();
    },
  };
}

/** Expectations as JUnit XML, for a team's CI. */
export function junitText(file: string, outcome: Outcome): string {
  const cases = [
    ...[...outcome.faults, ...outcome.failedSteps].map((failure) => ({
      name: failure.path,
      text: failureText(file, failure),
    })),
    ...outcome.expectations.map(({ expectation, failure }) => ({
      name: `expect[${expectation.index}] ${subjectOf(expectation.expectation)}`,
      text: failure === undefined ? undefined : failureText(file, failure),
    })),
  ];
  const failed = cases.filter(({ text }) => text !== undefined).length;
  const head = `name="${escaped(file)}" tests="${cases.length}" failures="${failed}" time="${outcome.until}"`;
  const lines = cases.map(({ name, text }) => {
    const open = `    <testcase classname="${escaped(file)}" name="${escaped(name)}"`;
    return text === undefined ? `${open}/>` : `${open}><failure message="${escaped(text)}"/></testcase>`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<testsuites>",
    `  <testsuite ${head}>`,
    ...lines,
    "  </testsuite>",
    "</testsuites>",
  ].join("\n");
}

function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD]/g, "\uFFFD")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("\n", "&#10;");
}
