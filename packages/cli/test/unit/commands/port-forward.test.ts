import { expect, test } from "@jest/globals";
import { aPod } from "../../../../server/test/samples.js";
import { withNumber } from "../../../src/commands/port-forward.js";

const pod = aPod("web", {
  spec: {
    containers: [
      { name: "a", ports: [{ name: "http", containerPort: 80 }, { containerPort: 9 }] },
      { name: "b", ports: [{ name: "m-3", containerPort: 9090 }] },
      { name: "c" },
    ],
  },
});

test.each([
  ["http", "80"],
  ["8080:http", "8080:80"],
  [":http", ":80"],
  ["0:m-3", "0:9090"],
  ["80", "80"],
  ["8080:80", "8080:80"],
  ["1-2", "1-2"],
  ["HTTP", "HTTP"],
  ["x:http", "x:http"],
  ["123456:http", "123456:http"],
  ["a.b", "a.b"],
])("the port %s is %s", (text, expected) => expect(withNumber(text, pod)).toBe(expected));

test("a name that no container has is an error with the names there are", () => {
  expect(() => withNumber("8080:htp", pod)).toThrow(
    expect.objectContaining({ code: "NOT_FOUND", message: expect.stringMatching(/port "htp".*http/) }),
  );
});
