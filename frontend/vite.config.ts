import { fileURLToPath, URL } from 'node:url'

import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vitest/config'

const backend = process.env['WEIGHHOUSE_BACKEND'] ?? 'http://127.0.0.1:8080'

export default defineConfig({
  plugins: [vue()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  server: {
    host: '127.0.0.1',
    proxy: { '/api': backend, '/health': backend },
  },
  build: { target: 'es2022', chunkSizeWarningLimit: 800 },
  test: { environment: 'happy-dom', include: ['src/**/*.spec.ts'], restoreMocks: true },
})
