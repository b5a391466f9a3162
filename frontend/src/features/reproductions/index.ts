export { default as ReproductionsCard } from './ReproductionsCard.vue'
