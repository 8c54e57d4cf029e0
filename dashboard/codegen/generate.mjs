// The types of the API's answers: OpenAPI on standard input, TypeScript on standard output.
import openapiTypescript, { astToString } from "openapi-typescript";

let text = "";
for await (const part of process.stdin) {
  text += part;
}
const tree = await openapiTypescript(JSON.parse(text), { alphabetize: true, rootTypes: false });
process.stdout.write(`// Made by ./run dashboard from the API's own description. Do not edit.\n`);
process.stdout.write(astToString(tree));
