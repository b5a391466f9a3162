export { default as CostCard } from './CostCard.vue'
export { default as CostTable } from './CostTable.vue'
export { default as PricesPanel } from './PricesPanel.vue'
