export { bundleOf, CAMPAIGN_TABLES, COMPARISON_TABLES, RUN_LOGS, RUN_TABLES, SERIES_TABLES } from './tables'
export { default as TakeAway } from './TakeAway.vue'
export { exportAddress, type ExportQuery } from './takeAway'
