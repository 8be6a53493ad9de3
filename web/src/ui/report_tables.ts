/** Reports of operations as tables that a person can read: plain values first, then a table for everything that has rows. */

export interface ReportTable {
  /** What it is about; empty for the values of the report itself. */
  readonly title: string;
  /** Empty: rows are a name and a value. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

type Row = Record<string, unknown>;

const MOST_ROWS = 200;
const LONGEST_LIST = 24;

/** All of a report, in its order. */
export function tablesOf(report: Readonly<Row>): ReportTable[] {
  const plain: string[][] = [];
  const others: ReportTable[] = [];
  for (const [key, value] of Object.entries(report)) {
    if (isRows(value)) others.push(tableOfRows(wordsOf(key), value));
    else if (isRow(value)) others.push({ title: wordsOf(key), columns: [], rows: pairsOf(value) });
    else plain.push([wordsOf(key), textOf(value)]);
  }
  return [...(plain.length > 0 ? [{ title: "", columns: [], rows: plain }] : []), ...others];
}

/** A value in a few words. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined || value === "") return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return String(Number(value.toPrecision(5)));
  if (Array.isArray(value)) return listText(value);
  if (isRow(value)) return pairsOf(value).map(([name, text]) => `${name} ${text}`).join(", ") || "–";
  return String(value);
}

function listText(values: readonly unknown[]): string {
  if (values.length === 0) return "–";
  const pairs = values.every((one) => Array.isArray(one) && one.length === 2 && one.every(Number.isFinite));
  const shown = values
    .slice(0, LONGEST_LIST)
    .map((one) => (pairs ? (one as number[]).map(textOf).join("–") : textOf(one)))
    .join(", ");
  return values.length > LONGEST_LIST ? `${shown} and ${values.length - LONGEST_LIST} more` : shown;
}

function tableOfRows(title: string, rows: readonly Row[]): ReportTable {
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((key) =>
    rows.some((row) => textOf(row[key]) !== "–"),
  );
  return {
    title: rows.length > MOST_ROWS ? `${title}, the first ${MOST_ROWS} of ${rows.length}` : title,
    columns: keys.map(wordsOf),
    rows: rows.slice(0, MOST_ROWS).map((row) => keys.map((key) => textOf(row[key]))),
  };
}

function pairsOf(row: Readonly<Row>): string[][] {
  return Object.entries(row).map(([key, value]) => [wordsOf(key), textOf(value)]);
}

function isRow(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isRows(value: unknown): value is Row[] {
  return Array.isArray(value) && value.length > 0 && value.every(isRow);
}

function wordsOf(key: string): string {
  return key.replaceAll("_", " ");
}
