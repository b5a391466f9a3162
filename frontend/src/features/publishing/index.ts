export { default as DisclosurePanel } from './DisclosurePanel.vue'
export { default as ReplyForm } from './ReplyForm.vue'
export { useReplyPage } from './queries'
