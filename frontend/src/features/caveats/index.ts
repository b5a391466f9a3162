export { chipText, countOf, footnotes, type Concerned } from './caveats'
export { default as CaveatStrip } from './CaveatStrip.vue'
