/** From a form's texts to parameters, with the same rules as the server: what it would refuse is said while typing. */

import type { FormField, OperationForm, Value } from "../generated/messages";

export type Parsed = { readonly value: Value; readonly error?: undefined } | { readonly error: string };

/** What an input shows at first; a flag's is "true" or "false", nothing stands for null. */
export function initialText(field: FormField): string {
  return textOfValue(field, field.default);
}

/** A value as the text of its input. */
export function textOfValue(field: FormField, value: Value | undefined): string {
  if (value === null || value === undefined) return field.kind === "flag" && !field.nullable ? "false" : "";
  return Array.isArray(value) ? value.join(field.kind === "texts" ? "; " : " ") : String(value);
}

/** The allowed range in words, empty when there is none. */
export function rangeText(field: FormField): string {
  const unit = field.unit && field.unit !== "°" ? ` ${field.unit}` : field.unit;
  const high = field.high !== null ? ` and at most ${field.high}` : "";
  if (field.above !== null) return `above ${field.above}${high}${unit}`;
  if (field.low !== null && field.high !== null) return `${field.low} to ${field.high}${unit}`;
  if (field.low !== null) return `at least ${field.low}${unit}`;
  if (field.high !== null) return `at most ${field.high}${unit}`;
  return "";
}

function checkNumber(field: FormField, value: number): string {
  if (!Number.isFinite(value)) return "This must be a number.";
  if (field.kind === "integer" && !Number.isInteger(value)) return "This must be a whole number.";
  const outside =
    (field.above !== null && value <= field.above) ||
    (field.low !== null && value < field.low) ||
    (field.high !== null && value > field.high);
  return outside ? `This must be ${rangeText(field)}.` : "";
}

function toNumber(text: string): number {
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN;
}

/** The value of one field, or what is wrong with its text. */
export function parseField(field: FormField, text: string): Parsed {
  const trimmed = text.trim();
  if (field.kind === "flag") return { value: field.nullable && trimmed === "" ? null : text === "true" };
  if (trimmed === "") {
    if (field.nullable) return { value: null };
    if (field.kind === "text" && !field.required) return { value: "" };
    if ((field.kind === "numbers" || field.kind === "texts") && !field.required) return { value: [] };
    return { error: "This is needed." };
  }
  if (field.kind === "choice")
    return field.choices.includes(text)
      ? { value: text }
      : { error: `This must be one of ${field.choices.join(", ")}.` };
  if (field.kind === "text" || field.kind === "file") return { value: text };
  if (field.kind === "texts")
    return {
      value: trimmed
        .split(";")
        .map((one) => one.trim())
        .filter((one) => one !== ""),
    };
  const numbers = (field.kind === "numbers" ? trimmed.split(/[\s,;]+/) : [trimmed]).map(toNumber);
  const error = numbers.map((number) => checkNumber(field, number)).find((message) => message !== "");
  if (error) return { error };
  return { value: field.kind === "numbers" ? numbers : numbers[0] };
}

export interface ParsedForm {
  /** Only what differs from the default, so that the command line stays short. */
  readonly parameters: Record<string, Value>;
  readonly errors: Record<string, string>;
}

/** All fields of a form. */
export function parseForm(form: OperationForm, texts: Readonly<Record<string, string>>): ParsedForm {
  const parameters: Record<string, Value> = {};
  const errors: Record<string, string> = {};
  for (const field of form.parameters) {
    const parsed = parseField(field, texts[field.name] ?? initialText(field));
    if (parsed.error !== undefined) errors[field.name] = parsed.error;
    else if (field.required || JSON.stringify(parsed.value) !== JSON.stringify(field.default))
      parameters[field.name] = parsed.value;
  }
  return { parameters, errors };
}

/** A step for the input's arrows that suits the unit and the default. */
export function inputStep(field: FormField): number {
  if (field.kind === "integer") return 1;
  if (field.unit === "degrees" || field.unit === "°" || field.unit === "Hz") return 1;
  const scale = Math.abs(typeof field.default === "number" && field.default !== 0 ? field.default : 1);
  return 10 ** Math.floor(Math.log10(scale) - 1);
}
