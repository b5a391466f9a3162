export { default as PublishedCells } from './PublishedCells.vue'
export { loadWords, sourceLine } from './words'
export { useManyPublished, usePublishedSources } from './queries'
