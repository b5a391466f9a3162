export { default as SystemTag } from './SystemTag.vue'
export { useSystem, useSystemLookup, useSystems } from './queries'
