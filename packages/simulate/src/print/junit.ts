/** Expectations as JUnit XML, for a team's CI. Pure. */

import { subjectOf } from "../run/expectations.js";
import type { Outcome } from "../run/outcome.js";
import { failureText } from "./summary.js";

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
