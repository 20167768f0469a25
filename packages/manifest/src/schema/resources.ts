import { list, map, NEEDS_API_SERVER, object, quantity, refused, type Shape, text } from "../shape.js";

const amounts = map(quantity);

export const resources = {
  is: "object",
  fields: { limits: amounts, requests: amounts, claims: refused(NEEDS_API_SERVER) },
} satisfies Shape;

export const resizePolicy = list(object({ resourceName: text, restartPolicy: text }));
