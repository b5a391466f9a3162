export { default as AccountPanel } from './AccountPanel.vue'
export { default as EntranceFrame } from './EntranceFrame.vue'
export { useFragment } from './fragment'
export * from './links'
