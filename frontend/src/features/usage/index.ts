export { default as UsagePanel } from './UsagePanel.vue'
