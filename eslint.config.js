// What the linter asks for beyond what tsc and the formatter do. Plain JavaScript all of it, so that it runs on every system.
import { builtinModules } from 'node:module';
import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import globals from 'globals';
import tseslint from 'typescript-eslint';

const bareBuiltins = builtinModules.filter((name) => !name.startsWith('_') && !name.includes(':'));

export default defineConfig(
  globalIgnores([
    '**/dist/',
    '**/.cache/',
    'bench/results/',
    // They are there to be refused: some do not parse.
    'test/fixtures/bad-modules/',
  ]),
  js.configs.recommended,
  tseslint.configs.recommended,
  {
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    languageOptions: { globals: globals.node },
    rules: {
      'array-callback-return': 'error',
      'default-case-last': 'error',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'grouped-accessor-pairs': 'error',
      'no-constructor-return': 'error',
      'no-duplicate-imports': ['error', { allowSeparateTypeImports: true }],
      'no-eval': 'error',
      'no-extra-label': 'error',
      'no-lonely-if': 'error',
      'no-restricted-imports': [
        'error',
        {
          paths: [
            ...bareBuiltins.map((name) => ({ name, message: `Write 'node:${name}'.` })),
            {
              name: 'fast-check',
              message: "Import it from 'threadwise-test/fast-check': that has a fixed seed.",
            },
          ],
        },
      ],
      'no-return-assign': 'error',
      'no-self-compare': 'error',
      'no-sequences': 'error',
      'no-template-curly-in-string': 'error',
      'no-undef-init': 'error',
      'no-unneeded-ternary': 'error',
      'no-useless-computed-key': 'error',
      'no-useless-rename': 'error',
      'no-useless-return': 'error',
      'no-var': 'error',
      'object-shorthand': 'error',
      'prefer-arrow-callback': 'error',
      'prefer-const': ['error', { destructuring: 'all', ignoreReadBeforeAssign: true }],
      'prefer-exponentiation-operator': 'error',
      'prefer-numeric-literals': 'error',
      'prefer-template': 'error',
      // A generator that only throws, or never begins, is what some tests are about.
      'require-yield': 'off',
      '@typescript-eslint/array-type': 'error',
      '@typescript-eslint/ban-ts-comment': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', destructuredArrayIgnorePattern: '^_' },
      ],
    },
  },
  {
    // One name for one thing, also where it is imported.
    files: ['packages/*/src/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'Export it by its name.' },
      ],
    },
  },
  {
    files: ['packages/*/src/**', 'packages/control/dashboard/**', 'bench/**', 'scripts/**'],
    ignores: ['**/*.test.*', '**/*.case.ts'],
    rules: { 'max-lines': ['error', 400] },
  },
  { files: ['test/fast-check.*mts', 'test/fast-check.mjs'], rules: { 'no-restricted-imports': 'off' } },
  {
    // Tasks throw whatever users throw.
    ignores: ['test/fixtures/**'],
    rules: { 'no-throw-literal': 'error' },
  },
  {
    // tsc looks for these as well, and knows that a field which is only assigned once (??=) is read.
    files: ['**/*.ts'],
    rules: { 'no-unused-private-class-members': 'off' },
  },
  {
    // Statements that are there for the compiler, and getters that tests read.
    files: ['**/*.test.ts', '**/*.test-d.ts'],
    rules: { '@typescript-eslint/no-unused-expressions': 'off' },
  },
  {
    // Nothing here runs: what is declared is what the compiler has to accept.
    files: ['**/*.test-d.ts'],
    rules: { '@typescript-eslint/no-unused-vars': 'off' },
  },
  {
    // What runs in a page, also out of a test that sends it there.
    files: [
      'packages/control/dashboard/**',
      'packages/control/test/**',
      'packages/cli/test/report-html.test.mjs',
    ],
    languageOptions: { globals: globals.browser },
  },
  {
    files: ['**/*.cjs'],
    languageOptions: { sourceType: 'commonjs' },
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
);
