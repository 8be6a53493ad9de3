/** Which rows of a long list have to exist, and which pages of it have to be asked for. */

export interface RowRange {
  readonly first: number;
  /** After the last one. */
  readonly end: number;
}

/** Rows in sight plus a few on either side. */
export function visibleRows(scroll: number, height: number, rowHeight: number, total: number, spare = 4): RowRange {
  const first = Math.max(0, Math.floor(scroll / rowHeight) - spare);
  const end = Math.min(total, Math.ceil((scroll + height) / rowHeight) + spare);
  return { first: Math.min(first, total), end: Math.max(end, Math.min(first, total)) };
}

/** Numbers of the pages that hold these rows. */
export function pagesOf(range: RowRange, pageSize: number): number[] {
  const pages: number[] = [];
  for (let page = Math.floor(range.first / pageSize); page * pageSize < range.end; page++) pages.push(page);
  return pages;
}

/** The scroll position that shows a row with as little movement as possible. */
export function scrollToRow(scroll: number, height: number, rowHeight: number, row: number): number {
  const top = row * rowHeight;
  if (top < scroll) return top;
  if (top + rowHeight > scroll + height) return top + rowHeight - height;
  return scroll;
}
