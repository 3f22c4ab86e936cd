// The work of a worker on its slice of the file, which it reads itself. Only results cross threads.
import { eachLine } from './slices.js';

const FIELDS = 4;

/**
 * Counts the records of a slice by chromosome and genotype.
 * @returns `{ records, counts: [[chromosome, genotype, count], …] }`
 */
export function aggregate(slice) {
  const counts = new Map();
  let records = 0;
  eachLine(slice, (line) => {
    if (isComment(line)) return;
    // A record's key is what follows the rsid, without the position: chromosome <tab> genotype.
    const chromosomeAt = line.indexOf('\t') + 1;
    const chromosomeEnd = line.indexOf('\t', chromosomeAt);
    const genotypeAt = line.indexOf('\t', chromosomeEnd + 1);
    const isWhole = chromosomeAt > 0 && chromosomeEnd >= 0 && genotypeAt >= 0;
    if (!isWhole || line.includes('\t', genotypeAt + 1)) throw malformed(line, slice);
    const key = line.slice(chromosomeAt, chromosomeEnd) + line.slice(genotypeAt);
    counts.set(key, (counts.get(key) ?? 0) + 1);
    records++;
  });
  return { records, counts: [...counts].map(([key, count]) => [...key.split('\t'), count]) };
}

/**
 * Finds the records of a slice.
 * @param query rsid: finds the record with this id; pattern: a regular expression, or its source, that the line must match
 * @returns the records, in the order of the file
 */
export function search({ rsid, pattern, ...slice }) {
  const expression = pattern === undefined ? undefined : new RegExp(pattern);
  const start = rsid === undefined ? '' : `${rsid}\t`;
  const found = [];
  eachLine(slice, (line) => {
    if (isComment(line) || !line.startsWith(start)) return;
    if (expression === undefined || line.search(expression) >= 0) found.push(toRecord(line, slice));
  });
  return found;
}

/** Adds the counts of two slices. `total` has a default, so that the command can use this as a reducer. */
export function merge(total = { records: 0, counts: [] }, part) {
  const counts = new Map();
  for (const [chromosome, genotype, count] of [...total.counts, ...part.counts]) {
    const key = `${chromosome}\t${genotype}`;
    counts.set(key, (counts.get(key) ?? 0) + count);
  }
  return {
    records: total.records + part.records,
    counts: [...counts].map(([key, count]) => [...key.split('\t'), count]),
  };
}

function isComment(line) {
  return line === '' || line.startsWith('#');
}

function toRecord(line, slice) {
  const fields = line.split('\t');
  if (fields.length !== FIELDS) throw malformed(line, slice);
  const [rsid, chromosome, position, genotype] = fields;
  return { rsid, chromosome, position: Number(position), genotype };
}

function malformed(line, { path }) {
  return new Error(
    `${path}: not 'rsid <tab> chromosome <tab> position <tab> genotype': ${line.slice(0, 80)}`,
  );
}
