/** Paths of the kit's icons, drawn on a 16 × 16 grid with a 1.5 stroke. */
export const icons = {
  add: 'M8 3v10M3 8h10',
  arrow: 'M3 8h10M9 4l4 4-4 4',
  back: 'M13 8H3M7 4L3 8l4 4',
  bell: 'M4 11V7.3a4 4 0 018 0V11l1.2 1.5H2.8zM6.7 14.2h2.6',
  cancel: 'M4 4l8 8M12 4l-8 8',
  caution: 'M8 2.5l6 11H2zM8 6.5v3.2M8 11.6v.2',
  check: 'M3 8.5l3.2 3.2L13 5',
  chevron: 'M4 6l4 4 4-4',
  commit: 'M1.5 8h4M10.5 8h4M8 10.5a2.5 2.5 0 100-5 2.5 2.5 0 000 5z',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  dots: 'M3.5 8h.1M8 8h.1M12.5 8h.1',
  external: 'M9 3h4v4M13 3L7 9M11 9v4H3V5h4',
  help: 'M8 14A6 6 0 108 2a6 6 0 000 12zM6.2 6.4a1.8 1.8 0 113 1.4c-.7.5-1.2.9-1.2 1.6M8 11.3v.2',
  info: 'M8 14A6 6 0 108 2a6 6 0 000 12zM8 7.3v3.5M8 5v.2',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  moon: 'M13 9.5A5.5 5.5 0 016.5 3 5.5 5.5 0 1013 9.5z',
  network: 'M8 13.2v.1M5.3 10.4a3.8 3.8 0 015.4 0M2.8 7.6a7.4 7.4 0 0110.4 0',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M5 3.5v9l7.5-4.5z',
  remove: 'M3 4.5h10M6 4.5V3h4v1.5M4.5 4.5l.5 9h6l.5-9',
  retry: 'M13 8a5 5 0 11-1.6-3.7M13 2.5v3h-3',
  search: 'M7 12A5 5 0 107 2a5 5 0 000 10zM10.8 10.8L14 14',
  sun:
    'M8 11a3 3 0 100-6 3 3 0 000 6zM8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3' +
    'M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9',
  screen: 'M2 3h12v8H2zM6 14h4M8 11v3',
  person: 'M8 8a2.75 2.75 0 100-5.5A2.75 2.75 0 008 8zM2.8 13.5a5.3 5.3 0 0110.4 0',
} as const

export type IconName = keyof typeof icons
