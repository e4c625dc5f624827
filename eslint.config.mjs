import js from '@eslint/js';

const browser = [
  'AbortController',
  'addEventListener',
  'atob',
  'Blob',
  'CustomEvent',
  'DecompressionStream',
  'document',
  'DOMParser',
  'DOMPoint',
  'Element',
  'Event',
  'fetch',
  'getSelection',
  'innerHeight',
  'innerWidth',
  'isSecureContext',
  'location',
  'matchMedia',
  'navigator',
  'ResizeObserver',
  'Response',
  'setTimeout',
  'URL',
  'URLSearchParams',
];

export default [
  js.configs.recommended,
  {
    files: ['src/**/*.js'],
    languageOptions: { globals: Object.fromEntries(browser.map((name) => [name, 'readonly'])) },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: { 'max-len': ['error', { code: 120 }], 'no-var': 'error', 'prefer-const': 'error', eqeqeq: 'error' },
  },
];
