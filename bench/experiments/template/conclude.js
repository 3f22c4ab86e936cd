// What follows from template.
import { allHold, finding, isFaster, named } from '../hash-direct/finding.js';
import { REPEATED, SINGLE } from './scenarios.js';

const AS_PUBLISHED = 'as published, across';

export function conclude(scenarios, { fasterThan }) {
  const [large, small] = [REPEATED, SINGLE].map((id) => named(scenarios, id));
  const compare = (scenario, what) => (row, other, metric) => {
    const { verdict, sentence } = fasterThan(scenario, row, other, metric);
    return { verdict, said: `${what}: ${sentence}` };
  };
  const [repeated, once] = [compare(large, 'A sentence 80 times'), compare(small, 'One sentence')];
  const parts = [
    repeated(AS_PUBLISHED, 'inline', 'requestsPerSecond'),
    repeated(AS_PUBLISHED, 'inline', 'immediateUs'),
    once('inline', AS_PUBLISHED, 'requestsPerSecond'),
  ];
  const ours = [
    repeated('threadwise, least-busy', AS_PUBLISHED, 'requestsPerSecond'),
    repeated('threadwise, across', 'inline', 'requestsPerSecond'),
    repeated('threadwise, across', 'inline', 'immediateUs'),
    repeated('threadwise, auto', 'inline', 'requestsPerSecond'),
    repeated('threadwise, auto', 'inline', 'immediateUs'),
    repeated('threadwise, across', 'piscina (8 per worker), across', 'requestsPerSecond'),
    once('threadwise, auto', 'inline', 'requestsPerSecond'),
    once('threadwise, auto', AS_PUBLISHED, 'requestsPerSecond'),
  ];
  return [
    finding(allHold(...parts.map(isFaster)), ...parts.map(({ said }) => said)),
    ...ours.map(({ said }) => said),
  ];
}
