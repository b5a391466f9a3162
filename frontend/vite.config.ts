import { fileURLToPath, URL } from 'node:url'

import vue from '@vitejs/plugin-vue'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'

const backend = process.env['WEIGHHOUSE_BACKEND'] ?? 'http://127.0.0.1:8080'

/**
 * № stands on nearly every page, and the fonts keep it in their files of Cyrillic letters, of 30 and 93 KB: it is
 * drawn by a font of the system's instead, and these files are fetched for Cyrillic letters alone.
 */
const numberSign: Plugin = {
  name: 'number-sign',
  enforce: 'pre',
  transform(code, id) {
    return id.includes('@fontsource') && id.includes('.css') ? code.replaceAll(',U+2116', '') : undefined
  },
}

export default defineConfig({
  plugins: [numberSign, vue()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  server: {
    host: '127.0.0.1',
    // Specs read the plugins' manifests.
    fs: { allow: ['..'] },
    proxy: { '/api': backend, '/health': backend },
  },
  build: { target: 'es2022', chunkSizeWarningLimit: 800 },
  test: {
    environment: 'happy-dom',
    css: { include: [/tokens\.css/] },
    include: ['src/**/*.spec.ts'],
    restoreMocks: true,
    // One world for all files: to build one for each took fifteen times as long as the tests.
    isolate: false,
  },
})
