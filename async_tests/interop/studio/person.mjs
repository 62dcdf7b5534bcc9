// A person at the page: keys, fields, and what is in sight.

import assert from 'node:assert/strict';

export const quoted = (value) => JSON.stringify(value);

const codes = { Enter: 13, Tab: 9, Escape: 27, ArrowDown: 40, ArrowRight: 39, ArrowLeft: 37, ' ': 32 };

export class Person {
  constructor(tab) { this.tab = tab; }

  /** @param modifiers   2: Control, 8: Shift.
   *  @param commands    What the browser's own keys do beside that. */
  async press(key, modifiers = 0, commands = []) {
    const text = key === 'Enter' ? '\r' : key.length === 1 && !modifiers ? key : undefined;
    const event = { key, modifiers, text, windowsVirtualKeyCode: codes[key] ?? key.toUpperCase().charCodeAt(0),
      code: key.length === 1 ? undefined : key };
    await this.tab.send('Input.dispatchKeyEvent', { type: text ? 'keyDown' : 'rawKeyDown', ...event, commands });
    await this.tab.send('Input.dispatchKeyEvent', { type: 'keyUp', ...event, text: undefined });
  }
  async keys(text) { for (const key of text) await this.press(key); }
  async write(text) { await this.tab.send('Input.insertText', { text }); }
  go(hash) { return this.tab.value(`location.hash = ${quoted(hash)}`); }
  see(text) { return this.tab.until(`document.querySelector('main').innerText.includes(${quoted(text)})`,
    `seeing ${text}`, 30_000); }
  there(selector) { return this.tab.until(`document.querySelector(${quoted(selector)})`, selector, 30_000); }
  count(selector) { return this.tab.value(`document.querySelectorAll(${quoted(selector)}).length`); }
  hash() { return this.tab.value('location.hash'); }
  /** Writes over what a field has. */
  async writeOver(text) {
    await this.press('a', 2, ['selectAll']);
    await this.write(text);
  }
  /** Moves by Tab, or back with Shift, until what has the focus fits. It is in sight then, and marked. */
  async tabTo(selector, text = '', isBack = false) {
    const fits = `one?.matches(${quoted(selector)}) && one.innerText.includes(${quoted(text)})`;
    await this.tab.until(`[...document.querySelectorAll(${quoted(selector)})].some((one) => ${fits})`,
      `${selector} ${text}`, 30_000);
    for (let i = 0; i < 200; ++i) {
      const seen = await this.tab.value(`(() => {
        const one = document.activeElement;
        if (!(${fits})) return null;
        const box = one.getBoundingClientRect();
        return getComputedStyle(one).outlineStyle !== 'none' && box.bottom > 0 && box.top < innerHeight; })()`);
      if (seen !== null) return assert.ok(seen, `the focus on ${selector} ${text} is not seen`);
      await this.press('Tab', isBack ? 8 : 0);
    }
    throw new Error(`${selector} ${text} is not reached by Tab`);
  }
  /** Waits until something has the focus that nothing was pressed for. */
  focused(selector, text = '') {
    return this.tab.until(`document.activeElement.matches(${quoted(selector)}) &&
      document.activeElement.innerText.includes(${quoted(text)})`, `the focus on ${selector} ${text}`);
  }
  async fill(selector, text) {
    await this.tabTo(selector);
    await this.write(text);
  }
  async choose(selector, text, isBack) {
    await this.tabTo(selector, text, isBack);
    await this.press('Enter');
  }
}
