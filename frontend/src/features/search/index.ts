export { default as HitList } from './HitList.vue'
export { KINDS, type Kind, type Place } from './kinds'
export { useSearch } from './queries'
export { default as SearchGroups } from './SearchGroups.vue'
