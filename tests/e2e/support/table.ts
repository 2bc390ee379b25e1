export const columns = ['NAMESPACE', 'NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE', 'IP', 'NODE'] as const;
export type Column = (typeof columns)[number];
export type Cells = Record<Column, string>;

export function byName(a: Cells, b: Cells): number {
  const key = (cells: Cells) => `${cells.NAMESPACE}/${cells.NAME}`;
  return key(a) < key(b) ? -1 : 1;
}

/** Ages differ by the moment of the reading; all other columns must be equal. */
export function withoutAge(table: Cells[]): Partial<Cells>[] {
  const compared = columns.filter((column) => column !== 'AGE');
  return table.map((cells) => Object.fromEntries(compared.map((column) => [column, cells[column]])));
}

/** How kubectl writes a duration. */
export const agePattern = /^(\d+y)?(\d+d)?(\d+h)?(\d+m)?(\d+s)?$/;
