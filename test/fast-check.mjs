// fast-check with the settings of all tests. The seed is fixed, so that a commit always gives the same result; PROPERTIES_SEED, a number,
// sets another seed, to try other values.
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.PROPERTIES_SEED ?? 1) });
export default fc;
