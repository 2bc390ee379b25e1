// Functions that run inside the page: each must stand alone, without anything from outside it.
import type { Row } from './pods-page';

export function rowsOnScreen(): Row[] {
  return [...document.querySelectorAll<HTMLElement>('[role=row][data-uid]')].map((row) => ({
    uid: row.dataset.uid ?? '',
    leaving: row.dataset.leaving !== undefined,
    cells: Object.fromEntries(
      [...row.querySelectorAll<HTMLElement>('[role=gridcell][data-column]')].map((cell) => [
        cell.dataset.column,
        cell.innerText.trim(),
      ]),
    ) as Row['cells'],
  }));
}

/**
 * Scrolls to the top, to the end, or on by most of a screen, and resolves once rows fill the screen there.
 * The answer tells whether that was the end.
 */
export async function scrollTable(to: 'top' | 'on' | 'end'): Promise<boolean> {
  const scroller = document.querySelector<HTMLElement>('[data-testid=table-scroll]');
  if (!scroller) return true;
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));

  const isFilled = () => {
    if (scroller.scrollHeight <= scroller.clientHeight) return true;
    const rows = [...scroller.querySelectorAll('[role=row][data-uid]')].map((row) => row.getBoundingClientRect());
    const header = scroller.querySelector('[role=columnheader]')?.getBoundingClientRect();
    const bounds = scroller.getBoundingClientRect();
    const contentBottom = bounds.top - scroller.scrollTop + scroller.scrollHeight;
    const tolerance = rows[0]?.height ?? 0;
    return (
      Math.min(...rows.map((row) => row.top)) <= (header?.bottom ?? bounds.top) + tolerance &&
      Math.max(...rows.map((row) => row.bottom)) >= Math.min(bounds.bottom, contentBottom) - tolerance
    );
  };

  if (to === 'top') scroller.scrollTop = 0;
  if (to === 'on') scroller.scrollTop += scroller.clientHeight * 0.8;
  if (to === 'end') scroller.scrollTop = scroller.scrollHeight;
  // The page answers a scroll in the frame after it. The limit is for a table that never fills.
  await frame();
  await frame();
  for (let frames = 0; !isFilled() && frames < 600; frames++) await frame();
  return scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 1;
}

/** Scrolls down and back up by `step` pixels a frame; answers the time of each frame. */
export async function timeFrames({ frames, step }: { frames: number; step: number }): Promise<number[]> {
  const scroller = document.querySelector<HTMLElement>('[data-testid=table-scroll]');
  if (!scroller) throw new Error('there is no table');
  const frame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));
  const times: number[] = [];
  let last = await frame();
  for (let index = 0; index < frames; index++) {
    scroller.scrollTop += index < frames / 2 ? step : -step;
    const now = await frame();
    times.push(now - last);
    last = now;
  }
  return times;
}

export type Collecting = typeof globalThis & { ages?: Set<string> };

/** Collects each text that ever stood as an age, frame by frame. */
export function collectAges(): void {
  const ages = new Set<string>();
  (globalThis as Collecting).ages = ages;
  const look = () => {
    for (const cell of document.querySelectorAll('[role=gridcell][data-column=AGE]')) ages.add(cell.textContent ?? '');
    requestAnimationFrame(look);
  };
  look();
}
