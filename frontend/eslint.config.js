import { fileURLToPath } from 'node:url'

import boundaries from 'eslint-plugin-boundaries'
import vue from 'eslint-plugin-vue'
import tseslint from 'typescript-eslint'

// The floors, top to bottom. A file imports only from floors named beside its own.
const floors = {
  app: ['pages', 'session', 'api', 'ui', 'theme'],
  pages: ['features', 'charts', 'session', 'ui', 'theme'],
  features: ['charts', 'session', 'api', 'ui', 'theme'],
  charts: ['ui', 'theme'],
  session: ['api'],
  ui: ['theme'],
  api: [],
  theme: [],
}

const policies = Object.entries(floors).map(([floor, below]) => ({
  from: { element: { type: floor } },
  allow: { to: { element: { types: { anyOf: below } } } },
}))

// Eight features stand under the others: everything weighed belongs to a system, no number stands
// without its caveats, people write notes beside anything, a campaign is told of in the same words
// wherever it stands, so are machines that are made for one, and all is taken away in one manner;
// what others published is told with its source wherever it stands, and what is found by its words in
// the same lines.
for (const feature of ['systems', 'caveats', 'notes', 'headlines', 'provisions', 'exports', 'sources', 'search']) {
  policies.push({
    from: { element: { type: 'features' } },
    allow: { to: { element: { type: 'features', captured: { feature } } } },
  })
}

// The shell opens two features over whatever page is on show.
for (const feature of ['search', 'help']) {
  policies.push({
    from: { element: { type: 'app' } },
    allow: { to: { element: { type: 'features', captured: { feature } } } },
  })
}

export default tseslint.config(
  { ignores: ['dist', 'node_modules', 'src/api/schema.d.ts', 'public'] },
  ...tseslint.configs.recommendedTypeChecked.map((config) => ({
    ...config,
    files: ['src/**/*.ts', 'src/**/*.vue'],
  })),
  ...vue.configs['flat/essential'],
  {
    files: ['src/**/*.ts', 'src/**/*.vue'],
    languageOptions: {
      parserOptions: {
        parser: tseslint.parser,
        projectService: true,
        extraFileExtensions: ['.vue'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    plugins: { boundaries },
    settings: {
      'import/resolver': { [fileURLToPath(new URL('./eslint-resolver.cjs', import.meta.url))]: {} },
      'boundaries/elements': [
        { type: 'features', pattern: 'src/features/*', capture: ['feature'] },
        { type: 'app', pattern: 'src/app' },
        { type: 'pages', pattern: 'src/pages' },
        { type: 'charts', pattern: 'src/charts' },
        { type: 'session', pattern: 'src/session' },
        { type: 'ui', pattern: 'src/ui' },
        { type: 'api', pattern: 'src/api' },
        { type: 'theme', pattern: 'src/theme' },
      ],
    },
    rules: {
      'boundaries/dependencies': ['error', { default: 'disallow', policies }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      // ESLint sees components as untyped; vue-tsc is the judge of their types.
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-redundant-type-constituents': 'off',
      'max-len': ['error', { code: 120 }],
      eqeqeq: 'error',
      'no-console': 'error',
      'vue/block-order': ['error', { order: ['script', 'template', 'style'] }],
      'vue/define-macros-order': ['error', { order: ['defineOptions', 'defineModel', 'defineProps', 'defineEmits'] }],
      'vue/no-v-html': 'error',
    },
  },
)
