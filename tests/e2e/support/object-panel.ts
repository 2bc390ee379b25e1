import { type Locator, type Page, expect } from '@playwright/test';

/** The side panel, by the parts that its markup promises to tests. */
export class ObjectPanel {
  readonly panel: Locator;
  readonly told: Locator;
  readonly summary: Locator;
  readonly yaml: Locator;
  readonly find: Locator;

  constructor(readonly page: Page) {
    this.panel = page.getByTestId('object-panel');
    this.told = page.getByTestId('object-told');
    this.summary = page.getByTestId('object-summary');
    this.yaml = page.getByTestId('yaml');
    this.find = page.locator('#object-find');
  }

  async expectOpen(kind: string, name: string): Promise<void> {
    await expect(this.panel).toBeVisible();
    await expect(this.panel.locator('.object-kind')).toHaveText(kind);
    await expect(this.panel.locator('#object-title')).toHaveText(name);
  }

  tab(title: string): Locator {
    return this.panel.getByRole('tab', { name: title });
  }

  /** A field of the summary, by the head of its column. */
  field(column: string): Locator {
    return this.summary.locator(`dd[data-column="${column}"]`);
  }

  /** A part of the summary, by its title. */
  section(title: string): Locator {
    return this.panel.locator('.object-section').filter({ has: this.page.getByRole('heading', { name: title }) });
  }

  /** The objects of a relation, by the name of their page. */
  related(page: string): Locator {
    return this.panel.locator(`[data-relation="${page}"]`);
  }

  /** The whole YAML, collected while scrolling from the top to the end. */
  async yamlText(): Promise<string> {
    return this.yaml.evaluate(async (scroller) => {
      const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      const lines = new Map<number, string>();
      scroller.scrollTop = 0;
      for (;;) {
        await frame();
        await frame();
        for (const line of scroller.querySelectorAll<HTMLElement>('.yaml-line'))
          lines.set(parseInt(line.style.top), line.textContent ?? '');
        if (scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 1) break;
        scroller.scrollTop += scroller.clientHeight / 2;
      }
      const inOrder = [...lines].sort(([a], [b]) => a - b);
      return inOrder.map(([, text]) => text).join('\n') + '\n';
    });
  }
}
