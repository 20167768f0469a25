// @jest/globals for mocha: the words that our tests use. Mocha's own are looked up late: it sets them before it loads a file of tests.
import { expect } from "expect";
import fc from "fast-check";
import { bind } from "jest-each";
import { fn, spyOn } from "jest-mock";

const plainTest = (title, body) => globalThis.it(title, body && (() => body()));
const plainDescribe = (title, body) => globalThis.describe(title, body);

// As in the loader; and nobody asks which is the smallest input that fails.
fc.configureGlobal({ numRuns: 25, endOnFailure: true });

export const test = Object.assign((title, body) => plainTest(title, body), {
  each: bind(plainTest, false),
  skip: Object.assign((title) => globalThis.it.skip(title), {
    each: bind((title) => globalThis.it.skip(title), false),
  }),
});
export const it = test;
export const describe = Object.assign((title, body) => plainDescribe(title, body), {
  each: bind(plainDescribe, false),
  skip: (title, body) => globalThis.describe.skip(title, body),
});
export const beforeAll = (body) => globalThis.before(() => body());
export const afterAll = (body) => globalThis.after(() => body());
export const beforeEach = (body) => globalThis.beforeEach(() => body());
export const afterEach = (body) => globalThis.afterEach(() => body());
export const jest = { fn, spyOn };
export { expect };
