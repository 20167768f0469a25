import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { parseCsv } from "../../../src/trace/csv.js";
import { parseTrace } from "../../../src/trace/read.js";

describe("CSV", () => {
  test.each([
    [
      "a,b\nc,d\n",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    [
      "a,b\r\n\r\nc,\r\n",
      [
        ["a", "b"],
        ["c", ""],
      ],
    ],
    ['"a,1","say ""hi"""\n', [["a,1", 'say "hi"']]],
    ['"two\nlines",x', [["two\nlines", "x"]]],
    ["", []],
    ["a,", [["a", ""]]],
    ["a,b", [["a", "b"]]],
    ["a\rb", [["a"], ["b"]]],
    [" a , b ", [["a", "b"]]],
    ['"a" ,b', [["a", "b"]]],
    ['"a"b,c', [["ab", "c"]]],
    ['"never,closed\n', [["never,closed\n"]]],
    ['""\n"",""', [["", ""]]],
  ])("%j", (text, rows) => {
    expect([...parseCsv(text)].map(({ cells }) => cells)).toEqual(rows);
  });

  test("what is written with quotes is read as it was", () => {
    const cell = fc.string({ maxLength: 20 });
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 2, maxLength: 5 }), { maxLength: 10 }), (rows) => {
        const text = rows.map((row) => row.map((one) => `"${one.replaceAll('"', '""')}"`).join(",")).join("\n");
        expect([...parseCsv(text)].map(({ cells }) => cells)).toEqual(rows);
      }),
    );
  });
});

describe("hooklet's own format", () => {
  const HEAD = "pod,arrival,duration,cpu,memory,cpuLimit,memoryLimit,priority,usage,image\n";

  test("a pod with all its columns; arrivals count from the first", () => {
    const { pods, faults } = parseTrace(`${HEAD}b,30,60,,,,,,,\na,10,5,500m,1Gi,1,2Gi,7,0:100Mi 60:200Mi,web:1\n`);
    expect(faults).toEqual([]);
    expect(pods).toEqual([
      {
        name: "a",
        arrival: 0,
        duration: 5,
        cpu: 0.5,
        memory: 2 ** 30,
        cpuLimit: 1,
        memoryLimit: 2 ** 31,
        priority: 7,
        image: "web:1",
        usage: [
          { after: 0, memory: 100 * 2 ** 20 },
          { after: 60, memory: 200 * 2 ** 20 },
        ],
      },
      { name: "b", arrival: 20, duration: 60, image: "trace:1", usage: [] },
    ]);
  });

  test("two pods of one name are two", () => {
    const { pods } = parseTrace("pod,arrival,duration\na,0,1\na,5,1\n");
    expect(pods.map(({ name }) => name)).toEqual(["a", "a-again-1"]);
  });

  test("a missing column and a wrong cell are reported by line and column", () => {
    expect(parseTrace("pod,arrival\na,0\n").faults).toMatchObject([{ line: 1, column: "duration" }]);
    expect(parseTrace(`${HEAD}a,soon,1,much,,,,1.5,,\n`).faults).toMatchObject([
      { line: 2, column: "arrival", found: '"soon"' },
      { line: 2, column: "priority" },
      { line: 2, column: "cpu", found: '"much"' },
    ]);
  });

  test("a fault's line is that of the file: empty lines count, and those within quotes", () => {
    const text = '\npod,arrival,duration\n\na,soon,1\r\n\r\n"b\nc",later,1\nd,never,1';
    expect(parseTrace(text).faults.map(({ line, found }) => [line, found])).toEqual([
      [4, '"soon"'],
      [6, '"later"'],
      [8, '"never"'],
    ]);
  });

  test.each([
    ["0", 0],
    ["0m", 0],
    ["250m", 0.25],
    ["1.5", 1.5],
    ["2k", 2000],
  ])("cpu %s is %p cores", (cpu, cores) => {
    const { pods, faults } = parseTrace(`pod,arrival,duration,cpu\na,0,1,${cpu}\n`);
    expect([pods[0]?.cpu, faults]).toEqual([cores, []]);
  });
});

describe("a line of hooklet's own format", () => {
  const COLUMNS = ["pod", "arrival", "duration", "priority", "usage", "image", "memory"];
  const one = (cells: Readonly<Record<string, string>>) =>
    parseTrace(
      `${COLUMNS.join(",")}\n${COLUMNS.map((name) => ({ pod: "a", arrival: "0", duration: "1" })[name] ?? "").join(",")}\n${COLUMNS.map((name) => cells[name] ?? "").join(",")}\n`,
    );
  const last = (cells: Readonly<Record<string, string>>) => one({ pod: "b", arrival: "1", duration: "2", ...cells });

  test.each([
    { name: "one amount of memory is used from the beginning", usage: "1Ki", is: [{ after: 0, memory: 1024 }] },
    {
      name: "amounts of memory are apart by spaces or semicolons",
      usage: "0:1;1.25:2  60:3",
      is: [
        { after: 0, memory: 1 },
        { after: 1.25, memory: 2 },
        { after: 60, memory: 3 },
      ],
    },
    { name: "where none is told none is used", usage: "", is: [] },
  ])("$name", ({ usage, is }) => {
    expect(last({ usage })).toMatchObject({ pods: [{}, { usage: is }], faults: [] });
  });

  test("a wrong amount of memory is reported, the others count", () => {
    expect(last({ usage: "0:1 soon:2" })).toMatchObject({
      pods: [{}, { usage: [{ after: 0, memory: 1 }] }],
      faults: [{ line: 3, column: "usage", expected: expect.stringContaining("0:100Mi"), found: '"0:1 soon:2"' }],
    });
  });

  test.each([
    { column: "pod", cell: "", expected: "a name" },
    { column: "priority", cell: "high", expected: "a whole number" },
    { column: "arrival", cell: "-1", expected: "a number of 0 or more" },
    { column: "duration", cell: "Infinity", expected: "a number of 0 or more" },
    { column: "memory", cell: "much", expected: "a quantity such as 500m or 512Mi" },
  ])("$column: $expected", ({ column, cell, expected }) => {
    expect(last({ [column]: cell }).faults).toEqual([{ line: 3, column, expected, found: `"${cell}"` }]);
  });

  test("missing values are 0: when it comes, and how long it runs", () => {
    expect(last({ arrival: "", duration: "" }).pods[1]).toEqual({
      name: "b",
      arrival: 0,
      duration: 0,
      image: "trace:1",
      usage: [],
    });
  });

  test("a CPU limit is written in cores, as a request is", () => {
    const { pods } = parseTrace("pod,arrival,duration,cpuLimit\na,0,1,1500m\n");
    expect(pods[0]?.cpuLimit).toBe(1.5);
  });

  test("a priority may be negative", () => {
    expect(last({ priority: "-5" }).pods[1]).toMatchObject({ priority: -5 });
  });
});

test("a trace without its columns names each that is missing, with those there are, and has no pods", () => {
  expect(parseTrace("pod , what\n1,2\n")).toEqual({
    pods: [],
    faults: ["arrival", "duration"].map((column) => ({
      line: 1,
      column,
      expected: `a column ${column} (pod, arrival, duration)`,
      found: "pod,what",
    })),
  });
  expect(parseTrace("")).toEqual({ pods: [], faults: [] });
});

test("reading ends after a hundred faults", () => {
  const { faults } = parseTrace(`pod,arrival,duration\n${"a,soon,1\n".repeat(200)}`);
  expect([faults.length, faults.at(-1)?.line]).toEqual([100, 101]);
});

test("what was found is shown with its first 200 characters", () => {
  const { faults } = parseTrace(`pod,arrival,duration\na,${"x".repeat(300)},1\n`);
  expect(faults[0]?.found).toBe(JSON.stringify("x".repeat(200)));
});

test.each(["root:*:20228:0:99999:7:::", "eyJhbGciOi.J9.token", "abcdef0123456789,admin,u1", "y".repeat(300)])(
  "the first line of a file that is no trace is not shown: %s",
  (line) => {
    const found = parseTrace(`${line}\nmore`).faults.map((fault) => fault.found);
    expect(new Set(found)).toEqual(new Set(["none of a trace's columns"]));
  },
);
