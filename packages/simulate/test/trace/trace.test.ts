import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { parseCsv } from "../../src/trace/csv.js";
import { parseTrace } from "../../src/trace/read.js";
import { podName } from "../../src/trace/row.js";

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
    const { pods, faults } = parseTrace(
      `${HEAD}b,30,60,,,,,,,\na,10,5,500m,1Gi,1,2Gi,7,0:100Mi 60:200Mi,web:1\n`,
      "hooklet",
    );
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
    const { pods } = parseTrace("pod,arrival,duration\na,0,1\na,5,1\n", "hooklet");
    expect(pods.map(({ name }) => name)).toEqual(["a", "a-again-1"]);
  });

  test("a missing column and a wrong cell are told by line and column", () => {
    expect(parseTrace("pod,arrival\na,0\n", "hooklet").faults).toMatchObject([{ line: 1, column: "duration" }]);
    expect(parseTrace(`${HEAD}a,soon,1,much,,,,1.5,,\n`, "hooklet").faults).toMatchObject([
      { line: 2, column: "arrival", found: '"soon"' },
      { line: 2, column: "priority" },
      { line: 2, column: "cpu", found: '"much"' },
    ]);
  });

  test("a fault's line is that of the file: empty lines count, and those within quotes", () => {
    const text = '\npod,arrival,duration\n\na,soon,1\r\n\r\n"b\nc",later,1\nd,never,1';
    expect(parseTrace(text, "hooklet").faults.map(({ line, found }) => [line, found])).toEqual([
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
    const { pods, faults } = parseTrace(`pod,arrival,duration,cpu\na,0,1,${cpu}\n`, "hooklet");
    expect([pods[0]?.cpu, faults]).toEqual([cores, []]);
  });
});

describe("a line of hooklet's own format", () => {
  const COLUMNS = ["pod", "arrival", "duration", "priority", "usage", "image", "memory"];
  const one = (cells: Readonly<Record<string, string>>) =>
    parseTrace(
      `${COLUMNS.join(",")}\n${COLUMNS.map((name) => ({ pod: "a", arrival: "0", duration: "1" })[name] ?? "").join(",")}\n${COLUMNS.map((name) => cells[name] ?? "").join(",")}\n`,
      "hooklet",
    );
  const last = (cells: Readonly<Record<string, string>>) => one({ pod: "b", arrival: "1", duration: "2", ...cells });

  test.each([
    { name: "one amount of memory is used from the beginning", usage: "1Ki", is: [{ after: 0, memory: 1024 }] },
    {
      name: "amounts of memory are apart by spaces or semicolons",
      usage: "0:1;1.5:2  60:3",
      is: [
        { after: 0, memory: 1 },
        { after: 1.5, memory: 2 },
        { after: 60, memory: 3 },
      ],
    },
    { name: "where none is told none is used", usage: "", is: [] },
  ])("$name", ({ usage, is }) => {
    expect(last({ usage })).toMatchObject({ pods: [{}, { usage: is }], faults: [] });
  });

  test("an amount of memory that is none is told, the others count", () => {
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

  test("what is not told is 0: when it comes, and how long it runs", () => {
    expect(last({ arrival: "", duration: "" }).pods[1]).toEqual({
      name: "b",
      arrival: 0,
      duration: 0,
      image: "trace:1",
      usage: [],
    });
  });

  test("a limit of processors is told in cores, as what is asked for is", () => {
    const { pods } = parseTrace("pod,arrival,duration,cpuLimit\na,0,1,1500m\n", "hooklet");
    expect(pods[0]?.cpuLimit).toBe(1.5);
  });

  test("a priority may be negative", () => {
    expect(last({ priority: "-5" }).pods[1]).toMatchObject({ priority: -5 });
  });
});

test("a trace without its columns tells each that is missing, with those there are, and has no pods", () => {
  expect(parseTrace("when , what\n1,2\n", "hooklet")).toEqual({
    pods: [],
    faults: ["pod", "arrival", "duration"].map((column) => ({
      line: 1,
      column,
      expected: `a column ${column} (pod, arrival, duration)`,
      found: "when,what",
    })),
  });
  expect(parseTrace("", "hooklet")).toEqual({ pods: [], faults: [] });
});

test("after a hundred faults nobody reads on", () => {
  const { faults } = parseTrace(`pod,arrival,duration\n${"a,soon,1\n".repeat(200)}`, "hooklet");
  expect([faults.length, faults.at(-1)?.line]).toEqual([100, 101]);
});

test("what was found is told with its first 200 characters", () => {
  const { faults } = parseTrace(`pod,arrival,duration\na,${"x".repeat(300)},1\n`, "hooklet");
  expect(faults[0]?.found).toBe(JSON.stringify("x".repeat(200)));
  expect(parseTrace("y".repeat(300), "hooklet").faults[0]?.found).toBe("y".repeat(200));
});

test.each([
  [["Job_1", "Task.2"], "job-1-task-2"],
  [["-a-", ""], "a"],
  [["__"], "pod"],
  [["x".repeat(300)], "x".repeat(200)],
])("the name of %j is %s", (parts, name) => {
  expect(podName(...parts)).toBe(name);
});

test.each(["4", "5", "6", "7", "8", "EVICT", "FAIL", "FINISH", "kill", "LOST"])(
  "Google 2019: %s ends an instance, at its beginning at the earliest; what ends none that began is passed over",
  (type) => {
    const row = (time: number, what: string, index = 0) => `${time},${what},7,${index},0,,`;
    const head = "time,type,collection_id,instance_index,priority,resource_request.cpus,resource_request.memory";
    const text = [head, row(5e6, "schedule"), row(4e6, type), row(9e6, type), row(9e6, type, 1)].join("\n");
    expect(parseTrace(text, "google-2019").pods).toEqual([
      {
        name: "google-7-0",
        arrival: 0,
        duration: 0,
        cpu: 0,
        memory: 0,
        priority: 0,
        image: "collection-7:1",
        usage: [],
      },
    ]);
  },
);

test("Google 2019: each of its columns has to be there; what has not ended is left out", () => {
  expect(parseTrace("x\n", "google-2019").faults.map(({ column }) => column)).toEqual([
    ...["time", "type", "collection_id", "instance_index", "priority"],
    ...["resource_request.cpus", "resource_request.memory"],
  ]);
  const head = "time,type,collection_id,instance_index,priority,resource_request.cpus,resource_request.memory";
  expect(parseTrace(`${head}\n1,3,7,0,0,0,0\n2,2,7,0,0,0,0\n`, "google-2019").pods).toEqual([]);
});

test.each([
  { name: "that has ended where it began lasts no time", row: "t,1,j,1,Terminated,5,5,100,1", durations: [0] },
  { name: "whose number is not told is one", row: "t,,j,1,Terminated,5,7,100,1", durations: [2] },
  { name: "that ends before it begins has not ended", row: "t,1,j,1,Running,5,0,100,1", durations: [] },
  { name: "whose begin is not told is left out", row: "t,1,j,1,Terminated,,7,100,1", durations: [] },
])("Alibaba 2018: a task $name", ({ row, durations }) => {
  expect(parseTrace(`${row}\n`, "alibaba-2018").pods.map(({ duration }) => duration)).toEqual(durations);
});

test("Alibaba 2018: processors are hundredths, memory percent of the largest machine; what is not told is 0", () => {
  const [told, untold] = parseTrace("t,1,j,1,T,0,1,150,50\nu,1,j,1,T,0,1,,\n", "alibaba-2018").pods;
  expect([told?.cpu, told?.memory, untold?.cpu, untold?.memory]).toEqual([1.5, 128 * 2 ** 30, 0, 0]);
});

test("Google 2019: an instance lives from its SCHEDULE to what ends it, and again if it is scheduled again", () => {
  const text = [
    "time,type,collection_id,priority,instance_index,machine_id,resource_request.cpus,resource_request.memory",
    "600000000,SUBMIT,77,200,0,1,0.5,0.25",
    "601000000,SCHEDULE,77,200,0,1,0.5,0.25",
    "661000000,EVICT,77,200,0,1,0.5,0.25",
    "700000000,3,77,200,0,1,0.5,0.25",
    "710000000,6,77,200,0,1,0.5,0.25",
    "800000000,3,78,0,1,1,0.1,0.1",
  ].join("\n");
  const { pods, faults } = parseTrace(text, "google-2019");
  expect(faults).toEqual([]);
  expect(pods).toMatchObject([
    { name: "google-77-0", arrival: 0, duration: 60, cpu: 32, memory: 64 * 2 ** 30, priority: 200 },
    { name: "google-77-0-1", arrival: 99, duration: 10 },
  ]);
});

test("Alibaba 2018: a task has so many instances; one that has not ended is left out", () => {
  const text = "task_a,2,j_1,1,Terminated,100,160,50,0.5\ntask_b,1,j_1,1,Running,120,,100,1\n";
  const { pods, faults } = parseTrace(text, "alibaba-2018");
  expect(faults).toEqual([]);
  expect(pods).toMatchObject([
    { name: "alibaba-j-1-task-a-0", arrival: 0, duration: 60, cpu: 0.5, image: "j-1:1" },
    { name: "alibaba-j-1-task-a-1", arrival: 0, duration: 60 },
  ]);
});
