export { default as FairnessRows } from './FairnessRows.vue'
export { default as SystemTag } from './SystemTag.vue'
export { settingsOf, type ParameterSchema } from './schema'
export { useSystem, useSystemLookup, useSystems } from './queries'
