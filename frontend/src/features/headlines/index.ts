export { default as CampaignHeadline } from './CampaignHeadline.vue'
export { default as HeadlineWords } from './HeadlineWords.vue'
export { useHeadlines } from './queries'
