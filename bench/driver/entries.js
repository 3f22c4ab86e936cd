// The entries of a scenario: each contender, or each way in which a contender can do the work if the scenario has several.

/** Threads without a pool, and the methods of documents, take part only where a scenario asks for them. */
const takesPools = ({ role }) => role !== 'bare' && role !== 'as-published';

/**
 * @param scenario `takes(contender)`: whether it takes part; `ways`: [{ id, needs, takes, isQuick }]; needs: the capabilities that a
 *   contender must have; takes: whether a contender goes that way; isQuick: false: not in a quick run; `inlineWays`: those without a pool
 * @param isQuick one variant of each package only, and of the published packages only those in `published`
 * @returns a list of { id, contender, way }; the id is the name of the row in the report
 */
export function entriesOf(scenario, contenders, { isQuick = false, published } = {}) {
  const { takes = takesPools, ways = [], inlineWays = [] } = scenario;
  const taken = contenders.filter(takes);
  return (isQuick ? fewOf(taken, published) : taken).flatMap((contender) => {
    // Inline, nothing crosses between threads, so the ways to cross do not apply.
    const own = contender.role === 'inline' ? inlineWays : ways;
    if (own.length === 0) return [{ id: contender.id, contender }];
    return own
      .filter((way) => canGo(contender, way) && !(isQuick && way.isQuick === false))
      .map((way) => ({ id: `${contender.id}, ${way.id}`, contender, way: way.id }));
  });
}

function canGo(contender, { needs = [], takes: takesWay = () => true }) {
  return needs.every((capability) => contender.can?.includes(capability)) && takesWay(contender);
}

function fewOf(contenders, published) {
  const isWanted = ({ role, package: name }) =>
    role !== 'published' || published === undefined || published.includes(name);
  return oneOfEach(contenders.filter(isWanted));
}

/**
 * The variant of each package for a quick run, or the first one if the scenario does not take that; and every method of a
 * document.
 */
function oneOfEach(contenders) {
  const chosen = new Map();
  for (const contender of contenders) {
    const key = contender.package ?? (contender.role === 'as-published' ? contender.id : contender.role);
    if (!chosen.has(key) || contender.isQuick) chosen.set(key, contender);
  }
  return [...chosen.values()];
}
