import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, URL } from 'node:url'

import vue from '@vitejs/plugin-vue'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'

import { lighterFonts } from './vite/lighterFonts.ts'
import { packed } from './vite/packed.ts'

const backend = process.env['WEIGHHOUSE_BACKEND'] ?? 'http://127.0.0.1:8080'

interface Bundled {
  name: string
  version: string
  identifier?: string
  text?: string
}

const listed = 'third-party.json'

/** Notices that a package of others wants to be given on, beside its licence; it is found by its name. */
function notices(name: string): string[] {
  const folder = fileURLToPath(new URL(`./node_modules/${name}`, import.meta.url))
  const among = (below: string, wanted: RegExp): string[] =>
    existsSync(below)
      ? readdirSync(below)
          .filter((file) => wanted.test(file))
          .sort()
          .map((file) => readFileSync(join(below, file), 'utf-8').trim())
      : []
  return [...among(folder, /^notice/i), ...among(join(folder, 'licenses'), /^licen[cs]e/i)]
}

/** Makes one text of the licences of all that is bundled, which is served beside the pages. */
const licences: Plugin = {
  name: 'licences',
  apply: 'build',
  generateBundle: {
    order: 'post',
    handler(_, bundle) {
      const list = bundle[listed]
      if (list?.type !== 'asset') this.error(`${listed} is not there: nothing says what is bundled`)
      const packages = JSON.parse(list.source.toString()) as Bundled[]
      const silent = packages.filter((one) => !one.text).map((one) => one.name)
      if (silent.length) this.error(`these bring no licence: ${silent.join(', ')}`)
      delete bundle[listed]
      const parts = packages.map(({ name, version, identifier, text }) =>
        [`${name} ${version}  ${identifier ?? ''}`.trimEnd(), text, ...notices(name)].join('\n\n'),
      )
      const source = ['What others wrote, and these pages have in them, with their licences.', ...parts]
      this.emitFile({
        type: 'asset',
        fileName: 'third-party-licences.txt',
        source: `${source.join(`\n\n${'='.repeat(100)}\n\n`)}\n`,
      })
    },
  },
}

/** Components, and what gathers a floor's or a feature's parts; the theme sets fonts and colours. */
const idle = /\/frontend\/src\/(?!theme\/).*(\.vue|\/index\.ts)$/

/** What changes with its own releases alone, and what is fetched where something is drawn. */
const groups = [
  { name: 'vue', test: /node_modules\/(@?vue|vue-router|pinia|@tanstack\/(vue-query|query-core))\//, priority: 2 },
  { name: 'charts', test: /node_modules\/(echarts|zrender|vue-echarts)\//, priority: 1 },
]

export default defineConfig({
  plugins: [lighterFonts, vue(), licences, packed],
  // All components are written with `setup`, those of the libraries too.
  define: { __VUE_OPTIONS_API__: 'false' },
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  server: {
    host: '127.0.0.1',
    // Specs read the plugins' manifests.
    fs: { allow: ['..'] },
    proxy: { '/api': backend, '/docs': backend, '/health': backend },
  },
  build: {
    target: 'es2022',
    chunkSizeWarningLimit: 800,
    license: { fileName: listed },
    rollupOptions: {
      checks: { pluginTimings: false },
      output: { codeSplitting: { groups } },
      // A component does nothing by being imported: who takes three parts of a floor brings these three.
      treeshake: { moduleSideEffects: [{ test: idle, sideEffects: false }] },
    },
  },
  test: {
    environment: 'happy-dom',
    css: { include: [/tokens\.css/] },
    include: ['src/**/*.spec.ts'],
    restoreMocks: true,
    // One world for all files: to build one for each took fifteen times as long as the tests.
    isolate: false,
  },
})
