export { default as AccountPanel } from './AccountPanel.vue'
export { default as EntranceFrame } from './EntranceFrame.vue'
export { takeFragment } from './fragment'
export * from './links'
