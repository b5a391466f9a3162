export { default as MakeReport } from './MakeReport.vue'
export { default as ReportDocument } from './ReportDocument.vue'
