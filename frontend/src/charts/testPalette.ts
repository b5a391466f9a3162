import type { Palette } from './palette'

/** A palette for specs, where no page with tokens exists. */
export const testPalette: Palette = {
  sheet: '#ffffff',
  rule: '#dddddd',
  ruleStrong: '#aaaaaa',
  ink: '#000000',
  ink2: '#333333',
  ink3: '#666666',
  accent: '#7d5c0c',
  good: '#00ff00',
  bad: '#ff0000',
  caution: '#ff8800',
  info: '#0000ff',
  compound: '#880088',
  fontText: 'sans-serif',
  fontMono: 'monospace',
}
