/**
 * The Prometheus text format as JSON, for scripts that have jq and no parser of it:
 * https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
 */

import { beginningOf } from '../format/cut.js';

export interface Sample {
  /** The family's name, alone or followed by a suffix such as `_bucket`, `_sum` or `_count`. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** JSON has no number for 'NaN', '+Inf' and '-Inf': they are text. */
  readonly value: number | string;
}

export interface Family {
  readonly name: string;
  type: string;
  help: string;
  readonly samples: Sample[];
}

const SUFFIX = /_(?:bucket|sum|count|total|created|info)$/;

/** Throws a SyntaxError that names the line. */
export function parseExposition(text: string): Family[] {
  const families = new Map<string, Family>();
  const familyOf = (name: string): Family => {
    const family = families.get(name) ?? { name, type: 'untyped', help: '', samples: [] };
    families.set(name, family);
    return family;
  };
  text.split('\n').forEach((line, i) => {
    const trimmed = line.trim();
    if (trimmed === '') return;
    const [, word, name = '', rest = ''] = /^#\s+(HELP|TYPE)\s+(\S+)\s*(.*)$/.exec(trimmed) ?? [];
    if (word === 'HELP') familyOf(name).help = unescaped(rest);
    else if (word === 'TYPE') familyOf(name).type = rest;
    if (trimmed.startsWith('#')) return;
    const sample = parseSample(trimmed);
    if (sample === undefined)
      throw new SyntaxError(`line ${i + 1} is no sample: ${beginningOf(trimmed, 80)}`);
    const base = sample.name.replace(SUFFIX, '');
    familyOf(!families.has(sample.name) && families.has(base) ? base : sample.name).samples.push(sample);
  });
  return [...families.values()];
}

function parseSample(line: string): Sample | undefined {
  // A timestamp may follow the value. Labels may have every separator of lines but the newline.
  const match = /^([a-zA-Z_:][\w:]*)\s*(?:\{(.*)\})?\s*(\S+)(?:\s+-?\d+)?$/s.exec(line);
  if (match === null) return undefined;
  const [, name = '', labels = '', text = ''] = match;
  const value = numberOf(text);
  const parsed = parseLabels(labels);
  return value === undefined || parsed === undefined ? undefined : { name, labels: parsed, value };
}

function parseLabels(text: string): Record<string, string> | undefined {
  const labels: [string, string][] = [];
  const one = /\s*([a-zA-Z_]\w*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:,|$)/y;
  while (one.lastIndex < text.trimEnd().length) {
    const [, name, value] = one.exec(text) ?? [];
    if (name === undefined || value === undefined) return undefined;
    labels.push([name, unescaped(value)]);
  }
  return Object.fromEntries(labels);
}

function numberOf(text: string): number | string | undefined {
  if (/^[+-]?inf$/i.test(text)) return text.startsWith('-') ? '-Inf' : '+Inf';
  if (/^nan$/i.test(text)) return 'NaN';
  const value = Number(text);
  return Number.isNaN(value) ? undefined : value;
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character));
}
