import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { parseCsv } from "../../src/trace/csv.js";
import { parseTrace } from "../../src/trace/read.js";

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
  ])("%j", (text, rows) => {
    expect([...parseCsv(text)]).toEqual(rows);
  });

  test("what is written with quotes is read as it was", () => {
    const cell = fc.string({ maxLength: 20 });
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 2, maxLength: 5 }), { maxLength: 10 }), (rows) => {
        const text = rows.map((row) => row.map((one) => `"${one.replaceAll('"', '""')}"`).join(",")).join("\n");
        expect([...parseCsv(text)]).toEqual(rows);
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
