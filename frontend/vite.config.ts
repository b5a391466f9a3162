import { fileURLToPath, URL } from 'node:url'

import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vitest/config'

const backend = process.env['WEIGHHOUSE_BACKEND'] ?? 'http://127.0.0.1:8080'

export default defineConfig({
  plugins: [vue()],
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
